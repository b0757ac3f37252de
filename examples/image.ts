// Image generation with previews. The previews are progress events; the finished image is a file of the reply.
import { Agent, Writer, type ResponseEvent } from "antiphon";
import { imageGeneration } from "antiphon/hosted";
import { scripted } from "antiphon/testing";

// A PNG of one transparent pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";

const preview = (partial_image_index: number): ResponseEvent => ({
  type: "response.image_generation_call.partial_image",
  sequence_number: 0,
  item_id: "ig_1",
  output_index: 0,
  partial_image_index,
  partial_image_b64: pixel,
});

const model = scripted([
  (request) => {
    const writer = new Writer({ request, newId: (prefix) => `${prefix}_1`, now: () => 1_767_225_600 });
    writer.start();
    writer.open("image", { type: "image_generation_call", id: "ig_1", status: "in_progress" });
    writer.stage("image", "response.image_generation_call.generating");
    const started = writer.drain();
    writer.set("image", { status: "completed", result: pixel, output_format: "png" });
    writer.close("image");
    writer.finish({ status: "completed" });
    return [...started, preview(0), preview(1), ...writer.drain()];
  },
]);

const agent = new Agent({ model, tools: [imageGeneration({ partialImages: 2, format: "png" })] });
const stream = agent.stream("Draw a very small cat.");

for await (const { image_generation = [] } of stream.progress()) {
  for (const { partial_image_index: index, partial_image_b64: data } of image_generation) {
    if (typeof data === "string") console.log(`preview ${index}: ${atob(data).length} bytes`);
  }
}

for (const file of (await stream.reply).files)
  console.log(`${file.name} (${file.mimeType}): ${(await file.bytes()).length} bytes`);

// Prints:
//   preview 0: 70 bytes
//   preview 1: 70 bytes
//   image-1.png (image/png): 70 bytes
