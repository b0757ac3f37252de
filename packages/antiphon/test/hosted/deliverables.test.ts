import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { containerFiles } from "../../src/hosted/container-files.ts";
import { deliverables } from "../../src/hosted/deliverables.ts";
import type { Item } from "../../src/model/index.ts";
import type { SimulatedContainers } from "../../src/testing/containers.ts";
import { secret, upstreamAt } from "../transport/support/upstream.ts";
import { serve, signalled } from "../transport/support/servers.ts";
import { serveContainers } from "./serve-endpoint.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

interface Cited {
  container_id?: string;
  file_id?: string;
  filename?: string;
  start_index?: number;
  end_index?: number;
}
const message = (...cited: Cited[]): Item => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [
    {
      type: "output_text",
      text: "Here you are.",
      annotations: cited.map((one) => ({
        type: "container_file_citation",
        container_id: "cntr_1",
        file_id: "cfile_1",
        filename: "plot.png",
        start_index: 0,
        end_index: 4,
        ...one,
      })),
    },
  ],
});
const picture = (result: string, more: object = {}): Item => ({
  type: "image_generation_call",
  id: "ig_1",
  status: "completed",
  result,
  ...more,
});

async function downloading(containers: SimulatedContainers) {
  const { origin, endpoint, headers } = await serveContainers(containers);
  const upstream = upstreamAt(origin);
  const retry = { retries: 0 };
  return { endpoint, headers, download: containerFiles(upstream, { retry }), upstream };
}

describe("what the answer itself holds", () => {
  test("is a picture with a name and the type that its bytes show", async () => {
    const { files, problems } = await deliverables({ output: [picture(base64(png), { output_format: "jpeg" })] });
    expect(problems).toEqual([]);
    expect(files.map(({ name, mimeType, source }) => ({ name, mimeType, source }))).toEqual([
      { name: "image-1.png", mimeType: "image/png", source: { item_id: "ig_1" } },
    ]);
    expect(await files[0]!.bytes()).toEqual(png);
  });

  test("takes the said type where the bytes do not show one", async () => {
    const { files } = await deliverables({ output: [picture(base64(new Uint8Array([1, 2, 3])), { output_format: "webp" })] });
    expect(files[0]).toMatchObject({ name: "image-1.webp", mimeType: "image/webp" });
  });

  test("is each picture that code drew, and sound, in the order of the output", async () => {
    const url = `data:image/png;base64,${base64(png)}`;
    const output = [
      {
        type: "code_interpreter_call",
        id: "ci_1",
        status: "completed",
        code: "",
        container_id: "",
        outputs: [
          { type: "image", url },
          { type: "logs", logs: "done" },
          { type: "image", url },
        ],
      },
      { type: "google:media", id: "m_1", status: "completed", mime_type: "audio/wav", data: "UklGRgAAAABXQVZF" },
      { type: "google:media", id: "m_2", status: "completed", mime_type: "image/png", data: base64(png), thought: true },
    ] as Item[];
    const { files } = await deliverables({ output });
    expect(files.map(({ name, mimeType }) => `${name} ${mimeType}`)).toEqual([
      "image-1.png image/png",
      "image-2.png image/png",
      "audio-1.wav audio/wav",
    ]);
  });

  test("is told where it cannot be had: too large, broken, or elsewhere", async () => {
    const output = [picture(base64(new Uint8Array(100))), picture("%%%"), picture("https://pictures.example/1.png")];
    const { files, problems } = await deliverables({ output }, { maxBytes: 50 });
    expect(files).toEqual([]);
    expect(problems).toEqual([
      { path: "output[2].result", reason: "The file is at https://pictures.example/1.png and is not downloaded automatically." },
      { path: "output[0].result", reason: "The image is larger than 50 bytes. Raise `maxBytes` to get it." },
      { path: "output[1].result", reason: "The image is not valid base64." },
    ]);
  });

  test("is read as what it says it is, base64 or plain", async () => {
    const outputs = [
      "data:image/svg+xml,%3Csvg%2F%3E",
      "data:text/plain,abcd",
      "data:text/plain;BASE64,YWJjZA==",
      "data:text/plain,%zz",
    ];
    const call = { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "", container_id: "cntr_1" };
    const output = [{ ...call, outputs: outputs.map((url) => ({ type: "image", url })) }] as unknown as Item[];
    const { files, problems } = await deliverables({ output });
    const contents = await Promise.all(files.map(async (file) => new TextDecoder().decode(await file.bytes())));
    expect(contents).toEqual(["<svg/>", "abcd", "abcd"]);
    expect(problems).toMatchObject([{ path: "output[0].outputs[3].url" }]);
  });

  test("is nothing where a picture is not finished", async () => {
    const output: Item[] = [{ type: "image_generation_call", id: "ig_1", status: "generating", result: null }];
    expect(await deliverables({ output })).toEqual({ files: [], problems: [] });
  });
});

describe("files in containers, from a server on a socket", () => {
  test("are downloaded with the provider's headers, named and typed by their content", async () => {
    const { download, headers, endpoint } = await downloading({
      cntr_1: {
        cfile_1: { content: png, type: "text/html" },
        cfile_2: { content: "a,b\n1,2\n", type: "application/octet-stream" },
      },
    });
    const output = [message({}, { file_id: "cfile_2", filename: "data.csv" })];
    const { files, problems } = await deliverables({ output }, { download });
    expect(problems).toEqual([]);
    expect(files.map(({ name, mimeType }) => `${name} ${mimeType}`)).toEqual(["plot.png image/png", "data.csv text/csv"]);
    expect(files[0]!.source).toEqual({ item_id: "msg_1", container_id: "cntr_1", file_id: "cfile_1" });
    expect(new TextDecoder().decode(await files[1]!.bytes())).toBe("a,b\n1,2\n");
    expect(endpoint.asked).toContain("/v1/containers/cntr_1/files/cfile_2/content");
    expect(headers.map((one) => one.get("authorization"))).toEqual([`Bearer ${secret}`, `Bearer ${secret}`]);
  });

  test("are each fetched once, however often they are cited, and not for a citation of no text", async () => {
    const { download, endpoint } = await downloading({ cntr_1: { cfile_1: { content: png }, cfile_2: { content: png } } });
    const output = [message({}, {}, { file_id: "cfile_2", start_index: 3, end_index: 3 }), message({})];
    const { files } = await deliverables({ output }, { download });
    expect(files.map(({ name }) => name)).toEqual(["plot.png"]);
    expect(endpoint.asked).toHaveLength(1);
  });

  test("get names that can stand in one folder", async () => {
    const { download } = await downloading({
      cntr_1: { cfile_1: { content: png }, cfile_2: { content: png }, cfile_3: { content: png }, cfile_4: { content: "x" } },
    });
    const output = [
      message(
        {},
        { file_id: "cfile_2" },
        { file_id: "cfile_3", filename: "../../etc/pass\0wd" },
        { file_id: "cfile_4", filename: ".." },
      ),
    ];
    const { files } = await deliverables({ output }, { download });
    expect(files.map(({ name }) => name)).toEqual(["plot.png", "plot-2.png", "pass_wd.png", "file.txt"]);
  });

  test.each([
    ["a device of Windows", "NUL.txt", "_NUL.txt"],
    ["a device without an ending", "com1", "_com1.bin"],
    ["a dot at the end", "a.txt.", "a.txt"],
    ["a hidden file", `${"x".repeat(200)}.${"y".repeat(199)}`, `${"y".repeat(199)}.bin`],
    ["letters that turn what follows around", "photo\u202egpj.exe", "photo_gpj.exe"],
    ["half a character", "\ud83d.txt", "_.txt"],
  ])("get names that every file system takes: %s", async (_, filename, name) => {
    const download = async () => ({ bytes: new Uint8Array([0]) });
    const { files } = await deliverables({ output: [message({ filename })] }, { download });
    expect(files[0]?.name).toBe(name);
  });

  test("get names that are short enough in any script, and differ also where the same letters are written in two ways", async () => {
    const folder = mkdtempSync(join(tmpdir(), "antiphon-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const wanted = [`${"\u6f22".repeat(300)}.txt`, `${"\u{1f600}".repeat(300)}.txt`, "\u00e9.txt", "e\u0301.txt"];
    const output = [message(...wanted.map((filename, index) => ({ filename, file_id: `cfile_${index}` })))];
    const { files } = await deliverables({ output }, { download: async () => ({ bytes: new Uint8Array([0]) }) });
    for (const file of files) await file.save(join(folder, file.name));
    expect(readdirSync(folder)).toHaveLength(4);
    expect(files.map(({ name }) => name.replace(/^(.)\1+/u, "$1"))).toEqual([
      "\u6f22.txt",
      "\u{1f600}.txt",
      "\u00e9.txt",
      "\u00e9-2.txt",
    ]);
  });

  test("of an expired container are told of, and the others still come", async () => {
    const { download } = await downloading({ cntr_1: { cfile_1: { content: png } }, cntr_2: "expired" });
    const output = [message({ container_id: "cntr_2", filename: "a.csv" }, {}, { container_id: "cntr_3", filename: "b.csv" })];
    const { files, problems } = await deliverables({ output }, { download });
    expect(files.map(({ name }) => name)).toEqual(["plot.png"]);
    expect(problems).toEqual([
      {
        path: "output[0].content[0].annotations[0]",
        reason: '"a.csv" is no longer available because its container has expired.',
      },
      {
        path: "output[0].content[0].annotations[2]",
        reason: '"b.csv" is no longer available because its container has expired.',
      },
    ]);
  });

  test("that are not there, or sent elsewhere, are told of", async () => {
    const { download } = await downloading({
      cntr_1: { cfile_2: { content: png, redirect: "https://elsewhere.example/x?key=1" } },
    });
    const { files, problems } = await deliverables({ output: [message({}, { file_id: "cfile_2" })] }, { download });
    expect(files).toEqual([]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      "\"plot.png\" could not be downloaded: File with id 'cfile_1' not found.",
      '"plot.png" could not be downloaded: The server returned a redirect to https://elsewhere.example, which is not followed. Check the base URL.',
    ]);
  });

  test.each([true, false])("that are too large are left, whether or not the server says so beforehand (%s)", async (length) => {
    const content = new Uint8Array(100_000);
    const { download } = await downloading({ cntr_1: { cfile_1: { content, length, pieceBytes: 1_000 } } });
    const { files, problems } = await deliverables({ output: [message({})] }, { download, maxBytes: 5_000 });
    expect(files).toEqual([]);
    expect(problems[0]?.reason).toBe(
      '"plot.png" could not be downloaded: The file is larger than 5000 bytes. Raise `maxBytes` to download it.',
    );
  });

  test("that come slowly but steadily are waited for; those that stop coming are not", async () => {
    const slow = { content: new Uint8Array(50), pause: 20, pieceBytes: 1 };
    const { upstream } = await downloading({ cntr_1: { cfile_1: slow, cfile_2: { ...slow, pause: 60_000 } } });
    const timeouts = { firstEvent: 800, idle: 800 };
    const download = containerFiles(upstream, { timeouts, retry: { retries: 0 } });
    const output = [message({}, { file_id: "cfile_2", filename: "never.bin" })];
    const { files, problems } = await deliverables({ output }, { download });
    expect(files.map(({ name }) => name)).toEqual(["plot.png"]);
    expect(problems[0]?.reason).toMatch(/^"never\.bin" could not be downloaded: No event arrived within 800 ms/);
  });

  test("beyond the count that is taken are told of and not asked for", async () => {
    const { download, endpoint } = await downloading({ cntr_1: { cfile_1: { content: png } } });
    const cited = Array.from({ length: 5 }, (_, index) => ({ file_id: `cfile_${index + 1}` }));
    const { files, problems } = await deliverables({ output: [message(...cited)] }, { download, maxFiles: 1 });
    expect(files).toHaveLength(1);
    expect(problems).toHaveLength(4);
    expect(problems[0]).toEqual({
      path: "output[0].content[0].annotations[1]",
      reason: "The response has more than 1 files. Raise `maxFiles` to get all of them.",
    });
    expect(endpoint.asked).toHaveLength(1);
  });

  test("are downloaded several at a time, and no more than that", async () => {
    const all = signalled();
    let open = 0;
    let most = 0;
    const { origin, seen } = await serve(async (response, _, index) => {
      most = Math.max(most, (open += 1));
      if (index === 2) all.resolve();
      await all.promise;
      open -= 1;
      response.end(png);
    });
    const download = containerFiles(upstreamAt(origin));
    const cited = Array.from({ length: 6 }, (_, index) => ({ file_id: `cfile_${index}`, filename: `${index}.png` }));
    const { files } = await deliverables({ output: [message(...cited)] }, { download, concurrency: 3 });
    expect(files.map(({ name }) => name)).toEqual(["0.png", "1.png", "2.png", "3.png", "4.png", "5.png"]);
    expect([most, seen.length]).toEqual([3, 6]);
  });

  test("are downloaded when they are first read where that is wanted, once, and again after a failure", async () => {
    let fails = true;
    const { origin, seen } = await serve((response) => {
      response.statusCode = fails ? 404 : 200;
      response.end(png);
      fails = false;
    });
    const { files } = await deliverables({ output: [message({})] }, { download: containerFiles(upstreamAt(origin)), lazy: true });
    expect(files[0]).toMatchObject({ name: "plot.png", mimeType: "image/png" });
    expect(seen).toHaveLength(0);
    await expect(files[0]!.bytes()).rejects.toMatchObject({ code: "NOT_FOUND" });
    const [first, second] = await Promise.all([files[0]!.bytes(), files[0]!.bytes()]);
    expect(first).toEqual(png);
    expect(second).toBe(first);
    expect(seen).toHaveLength(2);
  });

  test("stop coming when the caller stops", async () => {
    const begun = signalled();
    const { origin } = await serve(() => begun.resolve());
    const controller = new AbortController();
    const download = containerFiles(upstreamAt(origin));
    const delivered = deliverables({ output: [message({})] }, { download, signal: controller.signal });
    await begun.promise;
    controller.abort();
    await expect(delivered).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("need a way to be had", async () => {
    const { problems } = await deliverables({ output: [message({})] });
    expect(problems[0]?.reason).toBe('"plot.png" was not downloaded because no `download` function was passed.');
  });

  test("are not asked for under ids that are no ids", async () => {
    const { download, endpoint } = await downloading({});
    const { problems } = await deliverables({ output: [message({ file_id: "../../models" })] }, { download });
    expect(problems[0]?.reason).toContain("is not the id of a file or container");
    expect(endpoint.asked).toEqual([]);
  });
});

test("files that Anthropic's code left are fetched with their names from the account's files", async () => {
  const { origin, seen } = await serve((response, { url }) => {
    if (url.endsWith("/content")) return response.end("PK\x03\x04 slides");
    return response.setHeader("content-type", "application/json").end(JSON.stringify({ id: "file_1", filename: "slides.pptx" }));
  });
  const call = { type: "code_interpreter_call", id: "srvtoolu_1", status: "completed", code: "", container_id: "container_1" };
  const output = [{ ...call, outputs: [{ type: "anthropic:file", file_id: "file_1" }] }] as unknown as Item[];
  const { files } = await deliverables({ output }, { download: containerFiles(upstreamAt(origin)) });
  expect(files.map(({ name, mimeType }) => `${name} ${mimeType}`)).toEqual([
    "slides.pptx application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ]);
  expect(seen.map(({ url, headers }) => [url, headers["anthropic-beta"]])).toEqual([
    ["/v1/files/file_1/content", "files-api-2025-04-14"],
    ["/v1/files/file_1", "files-api-2025-04-14"],
  ]);
});

test("a file is saved to a new file, and never over an old one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { files } = await deliverables({ output: [picture(base64(png))] });
  const path = join(folder, files[0]!.name);
  await files[0]!.save(path);
  expect(new Uint8Array(readFileSync(path))).toEqual(png);
  await expect(files[0]!.save(path)).rejects.toThrow("EEXIST");
  expect(new Uint8Array(readFileSync(path))).toEqual(png);
});

test("a file that could not be read leaves nothing behind, and can be saved when it can", async () => {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let fails = true;
  const download = async () => {
    if (fails) throw new Error("Gone.");
    return { bytes: png };
  };
  const { files } = await deliverables({ output: [message({})] }, { download, lazy: true });
  const path = join(folder, "plot.png");
  await expect(files[0]!.save(path)).rejects.toThrow("Gone.");
  expect(readdirSync(folder)).toEqual([]);
  fails = false;
  await files[0]!.save(path);
  expect(new Uint8Array(readFileSync(path))).toEqual(png);
});
