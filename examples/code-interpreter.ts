// The code interpreter: code at the provider writes a plot to its container, and the program downloads and saves it.
// The provider is simulated.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect, provider, text } from "antiphon";
import { codeInterpreter, containerFiles, deliverables } from "antiphon/hosted";
import { containerEndpoint, scripted } from "antiphon/testing";

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 9 9 0"/></svg>';
const endpoint = containerEndpoint({ cntr_1: { cfile_1: { content: svg, type: "image/svg+xml" } } });

const model = scripted([
  [
    {
      type: "code_interpreter_call",
      id: "ci_1",
      status: "completed",
      code: 'plot("plot.svg")',
      container_id: "cntr_1",
      outputs: [],
    },
    {
      role: "assistant",
      content: [
        {
          type: "output_text",
          text: "Here is plot.svg.",
          annotations: [
            {
              type: "container_file_citation",
              container_id: "cntr_1",
              file_id: "cfile_1",
              filename: "plot.svg",
              start_index: 8,
              end_index: 16,
            },
          ],
        },
      ],
    },
  ],
]);

const response = await collect(model({ input: "Plot a falling line.", tools: [codeInterpreter()] }));
console.log(text(response));

const download = containerFiles(provider("openai", { apiKey: "none" }), {
  fetch: (url, init) => endpoint(new Request(url, init)),
});
const { files, problems } = await deliverables(response, { download });
for (const { reason } of problems) console.error(reason);

const folder = await mkdtemp(join(tmpdir(), "antiphon-"));
for (const file of files) {
  const path = join(folder, file.name);
  await file.save(path);
  console.log(`${file.name} (${file.mimeType}): ${(await readFile(path, "utf8")).length} characters`);
}
await rm(folder, { recursive: true });

// Prints:
//   Here is plot.svg.
//   plot.svg (image/svg+xml): 66 characters
