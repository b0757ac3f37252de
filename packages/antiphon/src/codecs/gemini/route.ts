import { own } from "../../model/guards.ts";
import { AntiphonError } from "../../core/error.ts";

/** What the URL of a generateContent request tells. */
export interface GeminiRoute {
  model: string;
  stream: boolean;
}

const methods: Readonly<Record<string, boolean>> = { generateContent: false, streamGenerateContent: true };
/** Collections that a model's name may begin with, and that are then the whole of its path. */
const collections = /^(tunedModels|publishers|endpoints)\//;

/**
 * Parses the model and method from a generateContent path, or returns `undefined`. A router merges the two into the
 * body before `decodeRequest` reads it.
 *
 * @example
 * geminiRoute("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"); // { model: "gemini-2.5-flash", stream: true }
 */
export function geminiRoute(path: string): GeminiRoute | undefined {
  const found = /\/(models|tunedModels|endpoints)\/([^/:?#]+):(\w+)(?:[?#]|$)/.exec(path);
  const [, collection = "", name = "", method = ""] = found ?? [];
  const stream = own(methods, method);
  if (stream === undefined) return undefined;
  const model = decode(name);
  return { model: collection === "models" ? model : `${collection}/${model}`, stream };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The path of a request, below the base URL. */
export function pathOf(model: string | null | undefined, stream: boolean, modelPath: string): string {
  const name = (model ?? "").replace(/^models\//, "");
  if (!name) throw new AntiphonError("BAD_REQUEST", "The Gemini API requires a model. Set `model`.", { param: "model" });
  const path = collections.test(name) ? `/${encodeName(name)}` : modelPath.replace("{model}", () => encodeName(name));
  return `${path}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

function encodeName(name: string): string {
  const segments = name.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new AntiphonError("BAD_REQUEST", `"${name}" is not a valid model name.`, { param: "model" });
  return segments.map(encodeURIComponent).join("/");
}
