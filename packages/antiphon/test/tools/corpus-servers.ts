import type { JsonSchema } from "../../src/model/index.ts";

// Tools as servers declare them: one entry a tool, in the shapes that schema libraries and people write. A name that ends in "?" is
// optional.
type Properties = Record<string, JsonSchema>;

const object = (properties: Properties, rest: JsonSchema = {}): JsonSchema => {
  const names = Object.keys(properties);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), properties[name]])),
    required: names.filter((name) => !name.endsWith("?")),
    ...rest,
  };
};
const closed = (properties: Properties, rest: JsonSchema = {}): JsonSchema =>
  object(properties, { additionalProperties: false, ...rest });
const text = (description?: string, rest: JsonSchema = {}): JsonSchema => ({
  type: "string",
  ...(description && { description }),
  ...rest,
});
const whole = (rest: JsonSchema = {}): JsonSchema => ({ type: "integer", ...rest });
const number = (rest: JsonSchema = {}): JsonSchema => ({ type: "number", ...rest });
const flag = (standard?: boolean): JsonSchema => ({ type: "boolean", ...(standard !== undefined && { default: standard }) });
const oneOf = (...choices: unknown[]): JsonSchema => ({ type: "string", enum: choices });
const list = (items: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({ type: "array", items, ...rest });
const maybe = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }], default: null });
const ref = (name: string, rest: JsonSchema = {}): JsonSchema => ({ $ref: `#/$defs/${name}`, ...rest });
const anything: JsonSchema = {};
const map = (additionalProperties: unknown = true): JsonSchema => ({ type: "object", additionalProperties });
const page = { "limit?": whole({ minimum: 1, maximum: 100, default: 20 }), "cursor?": text("Where to go on.") };

/** Schemas that have a strict form. */
export const strictServers: Readonly<Record<string, JsonSchema>> = {
  read_file: object({ path: text("An absolute path.") }),
  read_many: object({ paths: list(text(), { minItems: 1 }) }),
  read_lines: object(
    { path: text(), "head?": number(), "tail?": number() },
    { $schema: "http://json-schema.org/draft-07/schema#" },
  ),
  write_file: closed({ path: text(), content: text(), "mode?": oneOf("create", "append", "replace") }),
  edit_file: object({ path: text(), edits: list(object({ oldText: text(), newText: text() })), "dryRun?": flag(false) }),
  list_folder: object({ "path?": text(undefined, { default: "." }) }),
  search_files: object({ path: text(), pattern: text(), "excludePatterns?": list(text(), { default: [] }) }),
  move_file: closed({ source: text(undefined, { minLength: 1 }), destination: text(undefined, { minLength: 1 }) }),
  file_info: closed({ path: text(undefined, { pattern: "^/" }) }),
  fetch_page: object({
    url: text(undefined, { format: "uri", minLength: 1 }),
    "max_length?": whole({ exclusiveMinimum: 0, exclusiveMaximum: 1_000_000, default: 5_000 }),
    "raw?": flag(false),
  }),
  web_search: object({
    query: text(),
    "count?": whole({ minimum: 1, maximum: 20 }),
    "freshness?": maybe(oneOf("day", "week", "month")),
  }),
  get_issue: closed({ owner: text(), repo: text(), issue_number: number() }),
  list_issues: closed({
    owner: text(),
    repo: text(),
    "state?": oneOf("open", "closed", "all"),
    "labels?": list(text()),
    "since?": text(undefined, { format: "date-time" }),
    ...page,
  }),
  create_issue: closed({
    owner: text(),
    repo: text(),
    title: text(),
    "body?": text(),
    "assignees?": list(text()),
    "milestone?": { type: ["number", "string"] },
  }),
  push_files: object({
    owner: text(),
    repo: text(),
    branch: text(),
    files: list(object({ path: text(), content: text() })),
    message: text(),
  }),
  merge_request: object({
    id: whole(),
    "method?": oneOf("merge", "squash", "rebase"),
    "sha?": maybe(text(undefined, { pattern: "^[0-9a-f]{40}$" })),
  }),
  review: closed({
    id: whole(),
    event: oneOf("APPROVE", "COMMENT"),
    "comments?": list(closed({ path: text(), body: text(), "line?": whole({ minimum: 1 }) })),
  }),
  query: object({ sql: text() }),
  query_with: object({ sql: text(), "params?": list({ type: ["string", "number", "boolean", "null"] }) }),
  describe_table: object({ table_name: text("The table.", { title: "Table Name" }) }, { title: "describe_tableArguments" }),
  append_row: object({ table: text(), cells: list({ anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] }) }),
  send_mail: object({
    to: list(text(undefined, { format: "email" }), { minItems: 1, uniqueItems: true }),
    subject: text(undefined, { maxLength: 200 }),
    body: text(),
    "cc?": maybe(list(text())),
  }),
  find_mail: object(
    { "from?": text(), "before?": text(undefined, { format: "date" }), "unread?": flag() },
    { anyOf: [{ required: ["from"] }, { required: ["before"] }] },
  ),
  create_event: object(
    {
      title: text(),
      start: text(undefined, { format: "date-time" }),
      "end?": text(undefined, { format: "date-time" }),
      "attendees?": list(ref("person")),
      "repeat?": ref("rule"),
    },
    {
      $defs: {
        person: object({ email: text(undefined, { format: "email" }), "name?": text() }),
        rule: object({ every: oneOf("day", "week"), "times?": whole() }),
      },
    },
  ),
  move_event: closed({ id: text(undefined, { format: "uuid" }), by: text(undefined, { format: "duration" }) }),
  take_screenshot: closed({ "name?": text(), "width?": number({ default: 800 }), "fullPage?": flag() }),
  click: closed({
    element: text("What it is."),
    ref: text("Which it is."),
    "button?": oneOf("left", "right", "middle"),
    "modifiers?": list(oneOf("Alt", "Shift")),
  }),
  fill_form: closed({ fields: list(closed({ name: text(), type: oneOf("textbox", "checkbox"), value: text() })) }),
  select_option: closed({ values: list(text(), { minItems: 1 }) }),
  resize: closed({ width: number({ minimum: 1 }), height: number({ minimum: 1 }) }),
  add_nodes: object({ nodes: list(object({ name: text(), kind: text(), notes: list(text()) })) }),
  add_relations: object({ relations: list(object({ from: text(), to: text(), kind: text() })) }),
  think: closed({
    thought: text(),
    number: whole({ minimum: 1 }),
    total: whole({ minimum: 1 }),
    "revises?": whole({ minimum: 1 }),
    more: flag(),
  }),
  now: object({ timezone: text() }),
  convert_time: object({ source: text(), time: text(undefined, { format: "time" }), target: text() }),
  forecast: object({
    latitude: number({ minimum: -90, maximum: 90 }),
    longitude: number({ minimum: -180, maximum: 180 }),
    "days?": whole({ default: 3 }),
  }),
  directions: object(
    {
      from: ref("Place"),
      to: ref("Place", { description: "Where to." }),
      "via?": list(ref("Place")),
      "by?": oneOf("car", "foot"),
    },
    {
      $defs: { Place: { oneOf: [object({ lat: number(), lng: number() }), object({ address: text() })] } },
    },
  ),
  geocode: object({
    address: text(),
    "bounds?": { type: "array", prefixItems: [number(), number(), number(), number()], items: false, minItems: 4 },
  }),
  box: object({ corners: { type: "array", items: [number(), number()], additionalItems: false, minItems: 2 } }),
  labelled_point: object({ point: { type: "array", prefixItems: [text(), number()], items: false, minItems: 2 } }),
  post_message: object({ channel_id: text(), text: text(), "thread_ts?": text(undefined, { pattern: "^\\d{10}\\.\\d{6}$" }) }),
  add_reaction: object({ channel: text(), timestamp: text(), reaction: text(undefined, { examples: ["thumbsup"] }) }),
  list_channels: object({ "limit?": number({ default: 100, maximum: 200 }), "cursor?": text() }),
  create_ticket: object({
    summary: text(),
    priority: { enum: ["low", "high", null] },
    "due?": { type: ["string", "null"], format: "date" },
    "estimate?": { type: "number", nullable: true },
  }),
  transition: object(
    { id: text(), to: { allOf: [ref("Status")], description: "The new one.", default: "open" } },
    { $defs: { Status: { type: "string", enum: ["open", "done"], title: "Status" } } },
  ),
  bulk_update: object(
    {
      ids: list(whole(), { minItems: 1, maxItems: 50 }),
      change: { oneOf: [closed({ op: { const: "close" } }), closed({ op: { const: "assign" }, to: text() })] },
    },
    { title: "BulkUpdate" },
  ),
  filter_rows: object(
    { filter: ref("Filter") },
    {
      $defs: {
        Filter: { anyOf: [ref("Test"), ref("And")] },
        Test: closed({ field: text(), is: { type: ["string", "number", "boolean"] } }),
        And: closed({ and: list(ref("Filter"), { minItems: 2 }) }),
      },
    },
  ),
  outline: object({ title: text(), "children?": list({ $ref: "#" }) }),
  linked: {
    $ref: "#/definitions/Node",
    definitions: { Node: object({ value: text(), "next?": { $ref: "#/definitions/Node" } }) },
  },
  make_chart: closed({
    kind: oneOf("bar", "line"),
    series: list(closed({ label: text(), points: list(closed({ x: number(), y: number() })) })),
    "options?": closed({ "title?": text(), "legend?": flag(true) }),
  }),
  render: closed({
    template: text(),
    "format?": { type: "string", enum: ["png", "svg"], default: "png" },
    "scale?": number({ multipleOf: 0.5, minimum: 0.5 }),
  }),
  run_code: object({
    code: text("The program."),
    "language?": { const: "python" },
    "timeout?": whole({ minimum: 1, maximum: 600, default: 30 }),
  }),
  shell: closed({ command: list(text()), "workdir?": text(), "timeout_ms?": number() }),
  apply_patch: closed({ input: text("The whole patch.") }),
  deploy: object({
    service: text(undefined, { pattern: "^(?!-)[a-z-]+$" }),
    "replicas?": whole({ minimum: 0, exclusiveMaximum: 10 }),
  }),
  rollout: object({ percent: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 100 } }),
  scale: object({ size: { allOf: [{ type: "integer" }, { minimum: 1 }, { maximum: 9 }] } }),
  invoice: object(
    { customer: { allOf: [ref("Party"), object({ vat: text() })] } },
    { $defs: { Party: object({ name: text() }) } },
  ),
  pay: object({
    amount: { type: "string", pattern: "^\\d+\\.\\d{2}$" },
    currency: text(undefined, { minLength: 3, maxLength: 3 }),
    "memo?": text(undefined, { nullable: true }),
  }),
  ping: closed({}),
  confirm: closed({ sure: { const: true } }),
  level: closed({ at: { enum: [1, 2, 3] } }),
  mixed: closed({ at: { enum: ["auto", 1, 2] } }),
  upload: closed({ name: text(), data: text(undefined, { contentEncoding: "base64", contentMediaType: "image/png" }) }),
  range: object({ "from?": whole(), "to?": whole() }, { dependentRequired: { from: ["to"] }, minProperties: 1 }),
  shouting: { type: "OBJECT", properties: { city: { type: "STRING" }, days: { type: "INTEGER" } }, required: ["city"] },
};

/** Schemas that have none, each with a word of the reason. */
export const looseServers: Readonly<Record<string, readonly [schema: JsonSchema, reason: string]>> = {
  call_api: [object({ path: text(), "query?": map({ type: "string" }) }), "does not name"],
  log: [object({ message: text(), "data?": map() }), "does not name"],
  evaluate: [object({ script: text(), "args?": { type: "object" } }), "names no properties"],
  extract: [object({ url: text(), schema: object({}, { additionalProperties: true }) }), "does not name"],
  set_value: [object({ key: text(), value: anything }), "allows anything"],
  set_noted: [object({ key: text(), value: { description: "Whatever it is." } }), "allows anything"],
  set_headers: [object({ headers: { type: "object", patternProperties: { "^X-": text() } } }), "patternProperties"],
  run_steps: [object({ steps: { type: "array" } }), "entries"],
  run_tools: [object({ calls: list(anything) }), "allows anything|entries"],
  passthrough: [map(), "does not name"],
  free: [object({ name: text() }, { additionalProperties: { type: "string" } }), "does not name"],
  except: [object({ name: text(undefined, { not: { enum: ["root"] } }) }), "not"],
  when: [object({ kind: text() }, { if: { properties: { kind: { const: "a" } } }, else: { required: ["x"] } }), "if"],
  far: [object({ it: { $ref: "https://example.org/schema.json" } }), "is external, missing or circular"],
  lost: [object({ it: ref("gone") }), "is external, missing or circular"],
  pick: [object({ it: { enum: [{ a: 1 }, { a: 2 }] } }), "objects or lists"],
  clash: [object({ it: { allOf: [text(), number()] } }), "no value matches"],
  twice: [
    object({ it: text() }, { anyOf: [closed({ it: text() })], oneOf: [closed({ it: text() })] }),
    "both `anyOf` and `oneOf`",
  ],
  union: [{ anyOf: [closed({ a: text() }), closed({ b: text() })] }, "root"],
  items: [list(text()), "root"],
};
