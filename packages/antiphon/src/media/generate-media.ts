import { fromCaller } from "../core/caller-stack.ts";
import { AntiphonError } from "../core/error.ts";
import { Agent } from "../agent/agent.ts";
import type { AgentOptions } from "../agent/agent-options.ts";
import { agentRules } from "../agent/agent-rules.ts";
import type { AgentInput } from "../agent/input-items.ts";
import type { ReplyStream } from "../agent/reply-stream.ts";
import type { Reply } from "../agent/reply.ts";
import type { ModelChoice } from "../agent/resolve-model.ts";
import { RunError } from "../agent/run-error.ts";
import { anyText, checkOptions, either, listOf, object, type Rules } from "../core/options.ts";
import { codeInterpreter, imageGeneration, type ImageGenerationOptions } from "../hosted/options.ts";
import type { ResultFile } from "../hosted/result-file.ts";
import { provider } from "../providers/registry.ts";

/** What is to be made, and how. */
export interface MediaRequest extends Pick<AgentOptions, "signal" | "timeouts" | "retry" | "connect" | "files" | "instructions"> {
  /** `image/png`, `text/csv`, `application/pdf`, …; several where any of them will do. */
  mimeType: string | readonly string[];
  /** How pictures are made; the format follows from the MIME type. */
  image?: Omit<ImageGenerationOptions, "format">;
}

const mediaRules: Rules<MediaRequest> = {
  signal: agentRules.signal,
  timeouts: agentRules.timeouts,
  retry: agentRules.retry,
  connect: agentRules.connect,
  files: agentRules.files,
  instructions: agentRules.instructions,
  mimeType: either("be a MIME type or a list of them", anyText, listOf(anyText)),
  image: object,
};

/** What was made. */
export interface Media {
  /** Of the kinds that were asked for; never empty. */
  files: readonly ResultFile[];
  text: string;
  reply: Reply;
}

/** A picture that is still being made. */
export interface Preview {
  index: number;
  bytes: Uint8Array;
}

/** Something that is being made. */
export interface MediaStream {
  /** Pictures on the way to the picture, where `image.partialImages` asks for them. */
  previews(): AsyncIterable<Preview>;
  readonly media: Promise<Media>;
  readonly stream: ReplyStream;
}

const imageFormats: Readonly<Record<string, ImageGenerationOptions["format"]>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/webp": "webp",
  "image/*": "png",
};

/**
 * Generates files of a MIME type: images with image generation, other files with the code interpreter.
 *
 * @example
 * const { files } = await generateMedia("openai", "A quiet garden in the morning", { mimeType: "image/png" });
 * await files[0]?.save("garden.png");
 */
export const generateMedia = async (model: ModelChoice, input: AgentInput, request: MediaRequest): Promise<Media> =>
  streamMedia(model, input, request).media;

/** Like `generateMedia`, with previews while the file is generated. */
export function streamMedia(model: ModelChoice, input: AgentInput, request: MediaRequest): MediaStream {
  checkOptions("generateMedia", request, mediaRules);
  const { mimeType, image, ...options } = request;
  const wanted = typeof mimeType === "string" ? [mimeType] : (mimeType ?? []);
  checkTypes(wanted);
  const agent = new Agent({ model: mediaModel(model), ...options, ...task(wanted, image, options.instructions) });
  const stream = agent.stream(input);
  let media: Promise<Media> | undefined;
  return {
    stream,
    previews: () => previewsOf(stream),
    get media() {
      media ??= fromCaller(async () => mediaOf(await stream.reply, wanted));
      media.catch(() => {});
      return media;
    },
  };
}

function checkTypes(wanted: readonly string[]): void {
  const odd = wanted.find((type) => !/^[\w.+-]+\/([\w.+-]+|\*)$/.test(type));
  if (wanted.length === 0 || odd !== undefined)
    throw new AntiphonError(
      "BAD_REQUEST",
      odd === undefined ? "`mimeType` is empty. Pass at least one MIME type." : `"${odd}" is not a MIME type.`,
      { param: "mimeType" },
    );
}

/** A provider may have a model of its own for this kind of work. */
function mediaModel(model: ModelChoice): ModelChoice {
  if (typeof model !== "string") return model;
  const source = provider(model);
  const named = /^[^?]*[:/]/.test(model);
  return named || !source.models.media ? source : provider(model, { model: source.models.media });
}

/** Tools and words for the kinds that are wanted. */
function task(
  wanted: readonly string[],
  image: MediaRequest["image"],
  own: AgentOptions["instructions"],
): Pick<AgentOptions, "tools" | "tool_choice" | "instructions"> {
  const format = wanted.map((type) => imageFormats[type]).find(Boolean);
  if (format) {
    const tools = [imageGeneration({ ...image, format })];
    return { tools, tool_choice: { type: "image_generation" }, ...(own === undefined ? {} : { instructions: own }) };
  }
  const order = `Create the requested file with the type ${wanted.join(" or ")}. Write it with the code interpreter and refer to it in your answer, so that it can be downloaded.`;
  const instructions: AgentOptions["instructions"] =
    typeof own === "function"
      ? async (context) => `${await own(context)}\n\n${order}`
      : [own, order].filter(Boolean).join("\n\n");
  return { tools: [codeInterpreter()], instructions };
}

async function* previewsOf(stream: ReplyStream): AsyncGenerator<Preview> {
  const { decodeBase64 } = await import("#platform");
  for await (const event of stream) {
    if (event.type !== "response.image_generation_call.partial_image") continue;
    const bytes = decodeBase64(event.partial_image_b64);
    if (bytes) yield { index: event.partial_image_index, bytes };
  }
}

function mediaOf(reply: Reply, wanted: readonly string[]): Media {
  const files = reply.files.filter(({ mimeType }) => wanted.some((type) => fits(mimeType, type)));
  if (files.length > 0) return { files, text: reply.text, reply };
  const made = reply.files.map(({ mimeType }) => mimeType).join(", ") || "no file";
  const said = reply.refusal ?? reply.text;
  const sentence = `The model created ${made} instead of a file of the type ${wanted.join(" or ")}.${said ? ` It answered: ${said}` : ""}`;
  throw new RunError(new AntiphonError(reply.refusal === undefined ? "INVALID_OUTPUT" : "CONTENT_POLICY", sentence), reply);
}

const fits = (type: string, wanted: string): boolean =>
  type === wanted || (wanted.endsWith("/*") && type.startsWith(wanted.slice(0, -1)));
