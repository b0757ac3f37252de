import { describe, expect, test } from "vitest";
import { deliverables } from "../../src/hosted/deliverables.ts";
import { answersWith } from "./recorded.ts";

// A download whose content says nothing, so that the names decide.
const download = async () => ({ bytes: new Uint8Array() });

const expected: Readonly<Record<string, readonly string[]>> = {
  "anthropic/vercel-ai--anthropic-code-execution-20250825-pptx-skill--stream": ["file-1.bin application/octet-stream of conta"],
  "gemini-vertex/firebase--unary-success-image-invalid-safety-ratings": ["image-1.png image/png"],
  "gemini/firebase--streaming-success-empty-parts": ["image-1.png image/png"],
  "gemini/lingua--responsemodalitiesaudioparam-r": ["audio-1.pcm audio/L16;codec=pcm;rate=24000"],
  "gemini/lingua--responsemodalitiesaudioparam-r--stream": ["audio-1.pcm audio/L16;codec=pcm;rate=24000"],
  "gemini/lingua--speechconfigparam-r--stream": ["audio-1.pcm audio/L16;codec=pcm;rate=24000"],
  "gemini/prism--tts-flash-1-1": ["audio-1.wav audio/wav"],
  "gemini/req-llm--gemini-2-0-flash-exp-image-generation-image-basic": ["image-1.png image/png"],
  "openai-chat/ai-gateway--chat-text-to-audio": ["audio-1.ogg audio/ogg"],
  "openai-chat/dd-trace-js--openai-chat-completions-post-a0ea5208": ["audio-1.mp3 audio/mpeg"],
  // Raw samples, which only the request names.
  "openai-chat/openai-dotnet--chatwithbasicaudiooutput": ["audio-1.bin application/octet-stream"],
  "openai-chat/openai-dotnet--chatwithbasicaudiooutputasync": ["audio-1.bin application/octet-stream"],
  // The recording has words in place of the sound.
  "openai-chat/dd-trace-py--chat-completion-audio-output": ["audio-1.txt text/plain"],
  "openai-responses/langchain--image-generation-multi-turn--01": ["image-1.jpg image/jpeg"],
  "openai-responses/langchain--image-generation-multi-turn--02": ["image-1.jpg image/jpeg"],
  "openai-responses/langchain--image-generation-streaming": ["image-1.jpg image/jpeg"],
  "openai-responses/openai-dotnet--codeinterpretertoolwithemptyfileids": [
    "matplotlib_debug.log text/plain of cntr_",
    "sine_wave_chart.png image/png of cntr_",
  ],
  "openai-responses/openai-dotnet--codeinterpretertoolwithuploadedfileids--03": ["ages_bar_chart.png image/png of cntr_"],
  // The recording's picture was shortened.
  "openai-responses/openai-php--responseimagegenerationcreate": ["output[1].result: The image is not valid base64."],
  "openai-responses/pydantic-ai--openai-responses-code-execution-return-image--01": [
    "image-1.png image/png",
    "y_equals_x_squared.png image/png of cntr_",
  ],
  "openai-responses/pydantic-ai--openai-responses-image-generation-jpeg": ["image-1.jpg image/jpeg"],
  "openai-responses/vercel-ai--openai-code-interpreter-tool-1": ["two_dice_sums_10000.txt text/plain of cntr_"],
  "openai-responses/vercel-ai--openai-code-interpreter-tool-1--stream": ["roll2dice_sums_10000.csv text/csv of cntr_"],
  "responses-compatible-xai/vercel-ai--xai-image-generation-tool-1": ["image-1.png image/png"],
  "responses-compatible-xai/vercel-ai--xai-image-generation-tool-1--stream": ["image-1.png image/png"],
};

describe("files of recorded answers", () => {
  test("are these, and no others", async () => {
    const found: Record<string, string[]> = {};
    for (const { id, output } of answersWith(() => true)) {
      const { files, problems } = await deliverables({ output }, { download });
      const lines = files.map(({ name, mimeType, source }) => {
        const place = source.file_id === undefined ? "" : ` of ${source.container_id?.slice(0, 5)}`;
        return `${name} ${mimeType}${place}`;
      });
      const all = [...lines, ...problems.map(({ path, reason }) => `${path}: ${reason}`)];
      if (all.length > 0) found[id] = all;
    }
    expect(found).toEqual(expected);
  });
});
