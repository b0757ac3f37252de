import { describe, expect, test } from "vitest";
import * as conversation from "../src/conversation/index.ts";
import * as embeddings from "../src/embeddings/index.ts";
import * as hosted from "../src/hosted/index.ts";
import * as root from "../src/index.ts";
import * as mcp from "../src/mcp/index.ts";
import * as media from "../src/media/index.ts";
import * as middleware from "../src/middleware/index.ts";
import * as node from "../src/node/index.ts";
import * as testing from "../src/testing/index.ts";

// The compiler would refuse all of these calls; plain JavaScript lets them through.
type Attempt = (wrong: never) => unknown;

const agent = new root.Agent({ model: "offline" });
const upstream = root.provider("openai", { apiKey: "sk-1", baseUrl: "http://127.0.0.1:9" });
const respond = root.connect(root.provider("offline"));
const response = await root.collect(respond({ input: "Hello" }));
const usage = root.noUsage;
const run = (): string => "";

const wrongValues: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  "a number": 5,
  "a word": "x",
  "an empty object": {},
  "an object with unknown fields": { bogus: 1 },
  "an empty list": [],
  "a list of nothing": [undefined],
  "a promise": Promise.resolve({}),
  "a function": run,
};

/** Calls of every function of the root entry, each with a wrong value in one place. */
const attempts: Readonly<Record<string, readonly Attempt[]>> = {
  Agent: [
    (wrong) => new root.Agent(wrong),
    (wrong) => new root.Agent({ model: wrong }).send("Hello"),
    (wrong) => agent.with(wrong),
    (wrong) => agent.send(wrong),
    (wrong) => agent.send("Hello", wrong),
    (wrong) => agent.stream(wrong).reply,
    (wrong) => agent.stream("Hello", wrong).reply,
    (wrong) => agent.resume(wrong),
    (wrong) => agent.resume({ version: 1, input: [], items: [] } as never, wrong),
    (wrong) => agent.chat(wrong),
    (wrong) => agent.asTool(wrong),
    (wrong) => root.collect(agent.respond(wrong)),
    (wrong) => Object.assign(agent.with({}), { model: wrong }).send("Hello"),
    (wrong) => Object.assign(agent.with({}), { reasoning: wrong }).send("Hello"),
    (wrong) => Object.assign(agent.with({}), { handovers: wrong }).send("Hello"),
  ],
  Chat: [
    (wrong) => new root.Chat(wrong),
    (wrong) => new root.Chat(agent, wrong),
    (wrong) => root.Chat.from(wrong, "{}"),
    (wrong) => root.Chat.from(agent, wrong),
    (wrong) => root.Chat.from(agent, conversation.memorySessions(), wrong),
    (wrong) => agent.chat().send(wrong),
    (wrong) => agent.chat().send("Hello", wrong),
    (wrong) => agent.chat().stream("Hello", wrong).reply,
    (wrong) => agent.chat().resume(wrong),
    (wrong) => agent.chat().fork(wrong),
    (wrong) => agent.chat().undo(wrong),
    (wrong) => agent.chat().compact(wrong),
  ],
  PartialJson: [(wrong) => new root.PartialJson().push(wrong)],
  Stop: [(wrong) => new root.Stop().abort(wrong)],
  Writer: [(wrong) => new root.Writer(wrong)],
  abortSignal: [(wrong) => root.abortSignal(wrong)],
  addUsage: [(wrong) => root.addUsage(wrong, usage), (wrong) => root.addUsage(usage, wrong)],
  assistant: [(wrong) => root.assistant(wrong)],
  background: [
    (wrong) => root.background(wrong),
    (wrong) => root.background(upstream, wrong),
    (wrong) => root.background(upstream).wait(wrong, { timeouts: { total: 1 }, retry: { retries: 0 } }),
    (wrong) => root.background(upstream).follow(wrong, { timeouts: { total: 1 }, retry: { retries: 0 } }),
  ],
  batchesOf: [(wrong) => root.batchesOf(wrong)],
  blankResponse: [(wrong) => root.blankResponse("resp_1", 0, wrong)],
  checkModelName: [(wrong) => root.checkModelName(wrong, undefined)],
  collect: [(wrong) => root.collect(wrong)],
  compileSchema: [(wrong) => root.compileSchema(wrong), (wrong) => root.compileSchema({}, wrong)({})],
  connect: [
    (wrong) => root.connect(wrong),
    (wrong) => root.connect(upstream, wrong),
    (wrong) => root.collect(respond(wrong)),
    (wrong) => root.collect(respond({ input: wrong })),
    (wrong) => root.collect(respond({ input: "Hello" }, wrong)),
    (wrong) => root.collect(root.connect(upstream, { retry: { retries: 0 } })(wrong)),
  ],
  connectSocket: [(wrong) => root.connectSocket(wrong), (wrong) => root.connectSocket(upstream, wrong)],
  cost: [(wrong) => root.cost(wrong, { input: 1, output: 1 }), (wrong) => root.cost(usage, wrong)],
  customTool: [(wrong) => root.customTool(wrong), (wrong) => root.customTool({ name: "x", run: wrong })],
  developer: [(wrong) => root.developer(wrong)],
  estimateUsage: [(wrong) => root.estimateUsage(wrong, []), (wrong) => root.estimateUsage({}, wrong)],
  expand: [(wrong) => root.expand(wrong)],
  fetchJson: [
    (wrong) => root.fetchJson(wrong, "/models"),
    (wrong) => root.fetchJson(upstream as never, wrong, { retry: { retries: 0 } }),
    (wrong) => root.fetchJson({ ...upstream, name: "x" } as never, "/models", wrong),
  ],
  findPreset: [(wrong) => root.findPreset(wrong)],
  finishReason: [(wrong) => root.finishReason(wrong)],
  formatModelString: [(wrong) => root.formatModelString(wrong)],
  fromBatches: [(wrong) => root.fromBatches(wrong)],
  functionCallOutput: [(wrong) => root.functionCallOutput(wrong, "x")],
  functionCalls: [(wrong) => root.functionCalls(wrong)],
  functionTool: [(wrong) => root.functionTool(wrong, wrong, wrong)],
  hoistInstructions: [(wrong) => root.hoistInstructions(wrong)],
  inBackground: [(wrong) => root.inBackground(wrong), (wrong) => root.inBackground(upstream, wrong)],
  isGpt5Model: [(wrong) => root.isGpt5Model(wrong)],
  isItem: [(wrong) => root.isItem(wrong)],
  isObject: [(wrong) => root.isObject(wrong)],
  isReasoningModel: [(wrong) => root.isReasoningModel(wrong)],
  itemsAfter: [(wrong) => root.itemsAfter(wrong, response), (wrong) => root.itemsAfter({}, wrong)],
  lazily: [(wrong) => root.lazily(wrong)],
  listModels: [(wrong) => root.listModels(wrong), (wrong) => root.listModels(root.provider("offline"), wrong)],
  loadPrices: [(wrong) => root.loadPrices(wrong)],
  looping: [(wrong) => root.looping(wrong)],
  memoryJournal: [() => root.memoryJournal()],
  modelInfo: [(wrong) => root.modelInfo(wrong)],
  modelKind: [(wrong) => root.modelKind(wrong)],
  modelsByProvider: [(wrong) => root.modelsByProvider(wrong)],
  newId: [(wrong) => root.newId(wrong)],
  outcome: [(wrong) => root.outcome(wrong)],
  parseModelString: [(wrong) => root.parseModelString(wrong)],
  pausedRun: [(wrong) => root.pausedRun(wrong, response), (wrong) => root.pausedRun({}, wrong)],
  pendingCalls: [(wrong) => root.pendingCalls(wrong)],
  presets: [() => root.presets()],
  provider: [(wrong) => root.provider(wrong), (wrong) => root.provider("openai", wrong)],
  providerNames: [() => root.providerNames()],
  reduce: [(wrong) => root.reduce(wrong)],
  refusal: [(wrong) => root.refusal(wrong)],
  restoreArguments: [(wrong) => root.restoreArguments({}, wrong)],
  resume: [
    (wrong) => root.collect(root.resume(respond, wrong)),
    (wrong) => root.collect(root.resume(wrong, { version: 1, request: {}, items: [], pending: [] })),
    (wrong) => root.collect(root.resume(respond, { version: 1, request: {}, items: [], pending: [] }, wrong)),
  ],
  run: [
    (wrong) => root.run(wrong, { input: "Hello" }),
    (wrong) => root.collect(root.run(respond, wrong)),
    (wrong) => root.collect(root.run(respond, { input: wrong })),
    (wrong) => root.collect(root.run(respond, { input: "Hello" }, wrong)),
  ],
  sessionJournal: [(wrong) => root.sessionJournal(wrong, "x").claim("c1")],
  strictForm: [(wrong) => root.strictForm(wrong), (wrong) => root.strictForm({}, wrong)],
  supportsVerbosity: [(wrong) => root.supportsVerbosity(wrong)],
  system: [(wrong) => root.system(wrong)],
  text: [(wrong) => root.text(wrong)],
  thinking: [(wrong) => root.thinking(wrong)],
  toAnthropic: [(wrong) => root.toAnthropic(wrong)],
  toChat: [(wrong) => root.toChat(wrong)],
  toMcp: [(wrong) => root.toMcp(wrong)],
  toResponses: [(wrong) => root.toResponses(wrong)],
  toStrict: [(wrong) => root.toStrict(wrong), (wrong) => root.toStrict({}, wrong)],
  tool: [
    (wrong) => root.tool(wrong),
    (wrong) => root.tool({ name: wrong, run }),
    (wrong) => root.tool({ name: "x", input: wrong, run }),
    (wrong) => root.tool({ definition: wrong, run }),
    (wrong) => root.tool({ name: "x", run: wrong }),
  ],
  toolDefinition: [(wrong) => root.toolDefinition(wrong)],
  toolOutput: [(wrong) => root.toolOutput(wrong)],
  user: [(wrong) => root.user(wrong)],
  validate: [(wrong) => root.validate(wrong, {})],
};

/** Functions of which a wrong value may fail otherwise, and why. */
const exceptions: Readonly<Record<string, string>> = {
  AntiphonError: "guards of its own would only hide the error that it is made for",
  OutputError: "only the library makes one",
  RefusalError: "only the library makes one",
  Reply: "only the library makes one",
  ReplyStream: "only the library makes one",
  RunError: "only the library makes one",
  Reducer: "called for every event of every stream",
  inputType: "called for every item of every request",
  isAssistantMessage: "called for every item",
  isRun: "called for every event",
  isRunEvent: "called for every event",
  isStandardEvent: "called for every event",
  isTerminal: "called for every event",
  isWire: "called for every event",
  opens: "called for every event",
  piecesOf: "called for every event",
  unrun: "called for every batch",
  nearest: "a helper of the library's own",
  own: "a helper of the library's own",
};

/** Functions that take any value there is. */
const tolerant: ReadonlySet<string> = new Set(
  (
    "Stop assistant developer system user functionCallOutput functionTool toolOutput isItem isObject newId findPreset " +
    "modelsByProvider memoryJournal presets providerNames"
  ).split(" "),
);

const functionsOf = (entry: object): string[] =>
  Object.entries(entry).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));

/** What a call throws, or what its promise is rejected with. */
const failureOf = (attempt: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => undefined,
      (thrown: unknown) => thrown ?? "nothing was thrown",
    );

/** A sentence, and no stack trace, `undefined is not …` or value printed as `[object Object]`. */
const plainMessage = /^[^a-z].*[.?:)]$|^`.*[.?)]$/s;

/** Why a failure is not one of the library's own; nothing where it is. */
function fault(failure: unknown): string | undefined {
  if (failure === undefined) return undefined;
  if (!(failure instanceof root.AntiphonError)) return `throws ${String(failure)}`;
  if (!plainMessage.test(failure.message) || /\[object |is not a function|of undefined/.test(failure.message))
    return `says ${failure.message}`;
  return undefined;
}

describe("wrong values for the root entry", () => {
  test("are tried with every function", () => {
    expect([...Object.keys(attempts), ...Object.keys(exceptions)].toSorted()).toEqual(functionsOf(root).toSorted());
  });

  test.each(Object.entries(attempts))("%s throws an AntiphonError or takes them", async (name, calls) => {
    const faults: string[] = [];
    let refused = 0;
    for (const [index, call] of calls.entries())
      for (const [kind, wrong] of Object.entries(wrongValues)) {
        const failure = await failureOf(() => call(wrong as never));
        const found = fault(failure);
        if (found) faults.push(`call ${index} with ${kind} ${found}`);
        if (failure !== undefined) refused += 1;
      }
    expect(faults).toEqual([]);
    expect(refused > 0).toBe(!tolerant.has(name));
  });
});

/** Every function of the other entries that takes options, given as its only wrong argument. */
const optionTakers: Readonly<Record<string, Attempt>> = {
  cache: (options) => middleware.cache(options),
  circuitBreaker: (options) => middleware.circuitBreaker(options),
  fallback: (options) => middleware.fallback(options),
  guardrail: (options) => middleware.guardrail(options),
  logger: (options) => middleware.logger(options),
  memoryCache: (options) => middleware.memoryCache(options),
  rateLimit: (options) => middleware.rateLimit(options),
  telemetry: (options) => middleware.telemetry(options),
  cacheGuard: (options) => conversation.cacheGuard(options),
  contextManager: (options) => conversation.contextManager(options),
  converse: (options) => conversation.converse(options),
  embedder: (options) => embeddings.embedder("offline", options),
  "embedder.documents": (options) => embeddings.embedder("offline").documents(["x"], options),
  topK: (options) => embeddings.topK([1], [[1]], 1, options),
  applyPatchTool: (options) => hosted.applyPatchTool(options),
  codeInterpreter: (options) => hosted.codeInterpreter(options),
  computer: (options) => hosted.computer(options),
  computerTool: (options) => hosted.computerTool(options),
  deliverables: (options) => hosted.deliverables(response, options),
  fileSearch: (options) => hosted.fileSearch(options),
  hostedMcp: (options) => hosted.hostedMcp(options),
  imageGeneration: (options) => hosted.imageGeneration(options),
  localShellTool: (options) => hosted.localShellTool(options),
  shell: (options) => hosted.shell(options),
  shellTool: (options) => hosted.shellTool(options),
  webSearch: (options) => hosted.webSearch(options),
  audio: (options) => media.audio("data:audio/wav;base64,AAAA", options),
  file: (options) => media.file("https://a.example/a.pdf", options),
  generateMedia: (options) => media.generateMedia("offline", "A cat", options),
  image: (options) => media.image("https://a.example/a.png", options),
  streamMedia: (options) => media.streamMedia("offline", "A cat", options).media,
  video: (options) => media.video("https://a.example/a.mp4", options),
  mcpServer: (options) => mcp.mcpServer(options),
  createHttpTransport: (options) => node.createHttpTransport(options),
  createSocketTransport: (options) => node.createSocketTransport(options),
  createWebSocket: (options) => node.createWebSocket(options),
  offline: (options) => testing.offline(options),
  record: (options) => testing.record(() => Promise.reject(new Error("unused")), testing.memoryTape(), options),
  replay: (options) => testing.replay([], options),
  scripted: (options) => testing.scripted([], options),
  stateful: (options) => testing.stateful(options),
};

describe("wrong options of the other entries", () => {
  test.each(Object.entries(optionTakers))("%s refuses an unknown name, and whatever is no options", async (_, attempt) => {
    const unknown = await failureOf(() => attempt({ bogus: 1 } as never));
    expect(unknown).toMatchObject({ name: "AntiphonError", code: "BAD_REQUEST", param: "bogus" });
    for (const wrong of [null, 5, "x"]) {
      const failure = await failureOf(() => attempt(wrong as never));
      expect(failure).toBeInstanceOf(root.AntiphonError);
      expect(fault(failure)).toBeUndefined();
    }
  });
});
