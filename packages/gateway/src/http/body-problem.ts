import { AntiphonError, isObject, nearest, type Problem } from "antiphon";

/** A longer text is no misspelling, and comparing it with the accepted ones takes as long as both are wide. */
const maxNameLength = 64;
const maxFieldsCompared = 100;
const maxChoices = 20;
const maxParamLength = 200;

const kindNames: Readonly<Record<string, string>> = {
  null: "null",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  string: "a string",
  array: "a list",
  object: "an object",
};

/** Describes a value of the wrong type: a number by itself, anything else by its type. */
function kindOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (value === null) return "null";
  return kindNames[Array.isArray(value) ? "array" : typeof value] ?? typeof value;
}

/** Returns ` Did you mean "auto"?`, or nothing if no name is close enough. */
function suggestion(name: unknown, names: readonly string[], quote: string): string {
  const meant = typeof name === "string" && name.length <= maxNameLength ? nearest(name, names) : undefined;
  return meant === undefined ? "" : ` Did you mean ${quote}${meant}${quote}?`;
}

/** A place in a body, and the values on the way to it. */
interface Place {
  /** `input[0].role`. */
  param: string;
  value: unknown;
  /** The object or list that contains the value. */
  parent: unknown;
  name: string;
}

/** Follows a JSON pointer into a body. */
function placeAt(body: unknown, pointer: string): Place {
  const place: Place = { param: "", value: body, parent: undefined, name: "" };
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    place.parent = place.value;
    place.name = name;
    if (Array.isArray(place.parent)) place.value = place.parent[Number(name)];
    else place.value = isObject(place.parent) && Object.hasOwn(place.parent, name) ? place.parent[name] : undefined;
    if (Array.isArray(place.parent)) place.param += `[${name}]`;
    else if (/^[\w:-]+$/.test(name)) place.param += place.param === "" ? name : `.${name}`;
    else place.param += `[${JSON.stringify(name)}]`;
    if (place.param.length > maxParamLength) place.param = `${place.param.slice(0, maxParamLength)}…`;
  }
  return place;
}

/**
 * Describes the first problem of a body as the error that its sender gets. Shows no value but names and numbers: errors are
 * logged, and a value may be a key.
 */
export function bodyError(body: unknown, problem: Problem): AntiphonError {
  const { path, message, types, allowed, described } = problem;
  const { param, value, parent, name } = placeAt(body, path);
  const bad = (text: string, field = param): AntiphonError => new AntiphonError("BAD_REQUEST", text, { param: field });
  if (allowed) return bad(`\`${param}\` must be ${choices(allowed)}, not ${shownChoice(value)}.${suggestChoice(value, allowed)}`);
  if (types) {
    const accepted = types.filter((type) => type !== "null").map((type) => kindNames[type]);
    return bad(`\`${param}\` must be ${accepted.join(" or ")}, not ${kindOf(value)}.`);
  }
  if (described && isObject(parent)) {
    const unknown = Object.keys(parent).filter((field) => !described.includes(field));
    const misspelt = unknown.slice(0, maxFieldsCompared).find((field) => suggestion(field, [name], "") !== "");
    if (misspelt === undefined) return bad(`\`${param}\` is required.`);
    const at = `${param.slice(0, param.length - name.length)}${misspelt}`;
    return bad(`Unknown field \`${at}\`. Did you mean \`${param}\`?`, at);
  }
  const [expected = message] = message.split(", got ");
  return bad(`\`${param}\` ${expected}${typeof value === "number" ? `, not ${value}` : ""}.`);
}

const choices = (allowed: readonly unknown[]): string => {
  const named = allowed.filter((choice) => choice !== null).map((choice) => JSON.stringify(choice));
  const listed = named.slice(0, maxChoices).join(", ") + (named.length > maxChoices ? ", …" : "");
  return named.length === 1 ? listed : `one of ${listed}`;
};

/** A text where a name is expected is shown as far as a name is long. */
const shownChoice = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, maxNameLength)) : kindOf(value);

const suggestChoice = (value: unknown, allowed: readonly unknown[]): string =>
  suggestion(
    value,
    allowed.filter((choice) => typeof choice === "string"),
    '"',
  );
