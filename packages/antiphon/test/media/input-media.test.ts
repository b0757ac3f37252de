import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audio, file, image, video } from "../../src/media/input-media.ts";

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);
const pngUrl = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
const wav = Buffer.from("RIFF\0\0\0\0WAVEfmt ");
const mp4 = Buffer.from("\0\0\0\x18ftypisom\0\0");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "media-"));
  writeFileSync(join(folder, "dot.png"), png);
  writeFileSync(join(folder, "table.csv"), "a,b\n1,2\n");
  writeFileSync(join(folder, "lies.png"), "%PDF-1.7");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a picture", () => {
  test("by URL, data URL or file id goes to the provider as it is", async () => {
    expect(await image("https://example.com/a.png", { detail: "low" })).toEqual({
      type: "input_image",
      image_url: "https://example.com/a.png",
      detail: "low",
    });
    expect(await image(new URL("https://example.com/a.png"))).toMatchObject({ image_url: "https://example.com/a.png" });
    expect(await image(pngUrl)).toEqual({ type: "input_image", image_url: pngUrl });
    expect(await image({ file_id: "file-1" })).toEqual({ type: "input_image", file_id: "file-1" });
  });

  test.each([
    ["bytes", () => png],
    ["a buffer", () => png.buffer.slice(0)],
    ["a blob", () => new Blob([png])],
    ["a path", () => join(folder, "dot.png")],
    ["a file URL", () => pathToFileURL(join(folder, "dot.png"))],
  ])("from %s becomes a data URL of what it is", async (_, source) => {
    expect(await image(source())).toEqual({ type: "input_image", image_url: pngUrl });
  });

  test("is told by its content, not by its name", async () => {
    await expect(image(join(folder, "lies.png"))).rejects.toThrow('lies.png has the type "application/pdf"');
    await expect(image(Buffer.from("hello"))).rejects.toThrow("text/plain");
  });

  test("that is too large, empty or not there is a clear error", async () => {
    await expect(image(png, { maxBytes: 10 })).rejects.toThrow("larger than 10 bytes");
    await expect(image(join(folder, "dot.png"), { maxBytes: 10 })).rejects.toThrow("dot.png is larger than 10 bytes");
    await expect(image(pngUrl, { maxBytes: 5 })).rejects.toThrow("larger than 5 bytes");
    await expect(image(new Uint8Array())).rejects.toThrow("empty");
    await expect(image(join(folder, "none.png"))).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(image("https://")).rejects.toThrow("is not a URL");
  });
});

describe("a file", () => {
  test("keeps its name and says what it is", async () => {
    expect(await file(join(folder, "table.csv"))).toEqual({
      type: "input_file",
      filename: "table.csv",
      file_data: `data:text/csv;base64,${Buffer.from("a,b\n1,2\n").toString("base64")}`,
    });
    expect(await file(Buffer.from("%PDF-1.7"))).toMatchObject({ filename: "file.pdf" });
    expect(await file(new File(["x"], "notes.md"), { name: "n.md" })).toMatchObject({ filename: "n.md" });
    expect(await file("data:application/pdf;base64,JVBERi0=")).toMatchObject({ filename: "file.pdf" });
    expect(await file("https://example.com/a.pdf")).toEqual({ type: "input_file", file_url: "https://example.com/a.pdf" });
    expect(await file({ file_id: "file-1" })).toEqual({ type: "input_file", file_id: "file-1" });
  });
});

test("sound travels as bytes, with the name of its format", async () => {
  const data = wav.toString("base64");
  expect(await audio(wav)).toEqual({ type: "input_audio", input_audio: { data, format: "wav" } });
  expect(await audio(`data:audio/mpeg;base64,${data}`)).toEqual({ type: "input_audio", input_audio: { data, format: "mp3" } });
  const formatOf = async (source: Blob | string): Promise<string> => (await audio(source)).input_audio.format;
  expect(await formatOf(new Blob([wav], { type: "audio/webm;codecs=opus" }))).toBe("webm");
  expect(await formatOf(`data:audio/webm;codecs=opus;base64,${data}`)).toBe("webm");
  expect(await formatOf(`data:AUDIO/MPEG;base64,${data}`)).toBe("mp3");
  expect(await formatOf(`data:;base64,${data}`)).toBe("wav");
  expect(await formatOf(`data:constructor;base64,${data}`)).toBe("wav");
  await expect(audio("https://example.com/a.wav")).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await expect(audio(png)).rejects.toThrow("image/png");
});

test("a film travels by URL or as bytes", async () => {
  expect(await video("https://example.com/a.mp4")).toEqual({ type: "input_video", video_url: "https://example.com/a.mp4" });
  expect(await video(mp4)).toEqual({ type: "input_video", video_url: `data:video/mp4;base64,${mp4.toString("base64")}` });
  await expect(video({ file_id: "f" })).rejects.toMatchObject({ code: "UNSUPPORTED" });
});
