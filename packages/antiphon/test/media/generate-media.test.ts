import { describe, expect, test } from "vitest";
import { RunError } from "../../src/agent/run-error.ts";
import { generateMedia, streamMedia } from "../../src/media/generate-media.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { scripted } from "../../src/testing/scripted.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 9]);
const picture = { type: "image_generation_call", id: "ig_1", status: "completed", result: png.toString("base64") } as const;

describe("generateMedia", () => {
  test("makes pictures by image generation, in the format that was asked for", async () => {
    const model = scripted([[picture]]);
    const { files } = await generateMedia(model, "A garden", { mimeType: "image/png", image: { size: "1024x1024" } });
    expect(files.map(({ mimeType }) => mimeType)).toEqual(["image/png"]);
    expect(Buffer.from(await files[0]!.bytes())).toEqual(png);
    expect(model.requests[0]).toMatchObject({
      tools: [{ type: "image_generation", size: "1024x1024", output_format: "png" }],
      tool_choice: { type: "image_generation" },
    });
  });

  test("makes anything else by the code interpreter, and says what is wanted", async () => {
    const model = scripted(["Here is nothing."]);
    await expect(generateMedia(model, "A table", { mimeType: "text/csv", instructions: "Be neat." })).rejects.toThrow(
      "The model created no file instead of a file of the type text/csv. It answered: Here is nothing.",
    );
    expect(model.requests[0]?.tools).toMatchObject([{ type: "code_interpreter" }]);
    expect(model.requests[0]?.instructions).toMatch(/^Be neat\.\n\nCreate the requested file with the type text\/csv/);
  });

  test("takes any of several kinds", async () => {
    const { files } = await generateMedia(scripted([[picture]]), "A garden", { mimeType: ["image/webp", "image/*"] });
    expect(files).toHaveLength(1);
  });

  test("keeps what the model did make when it is of another kind", async () => {
    const thrown = await generateMedia(scripted([[picture]]), "A garden", { mimeType: "image/webp" }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(RunError);
    expect((thrown as RunError).reply.files[0]?.mimeType).toBe("image/png");
    expect((thrown as RunError).message).toContain("created image/png instead of");
  });

  test.each(["", "png", "image/", "a/b/c"])("refuses the MIME type %j", (mimeType) => {
    expect(() => streamMedia(scripted([]), "x", { mimeType })).toThrow("is not a MIME type");
  });

  test("shows previews on the way, and asks the model once", async () => {
    const partial = (index: number): ResponseEvent => ({
      type: "response.image_generation_call.partial_image",
      sequence_number: 0,
      item_id: "ig_1",
      output_index: 0,
      partial_image_index: index,
      partial_image_b64: png.subarray(0, 8 + index).toString("base64"),
    });
    const events: ResponseEvent[] = [];
    for await (const event of scripted([[picture]])({})) events.push(event);
    const done = events.findIndex(({ type }) => type === "response.output_item.done");
    const model = scripted([events.toSpliced(done, 0, partial(0), partial(1))]);
    const making = streamMedia(model, "A garden", { mimeType: "image/png", image: { partialImages: 2 } });
    const sizes: number[] = [];
    for await (const { bytes } of making.previews()) sizes.push(bytes.length);
    expect(sizes).toEqual([8, 9]);
    expect((await making.media).files).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });
});
