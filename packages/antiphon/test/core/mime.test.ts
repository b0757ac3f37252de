import { describe, expect, test } from "vitest";
import { extensionOf, mimeByName, sniffMime } from "../../src/core/mime.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (unit) => unit.charCodeAt(0));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const office = "application/vnd.openxmlformats-officedocument.";

describe("the type of a file", () => {
  test.each([
    ["\x89PNG\r\n\x1a\n....", "image/png"],
    ["\xff\xd8\xff\xe0....", "image/jpeg"],
    ["GIF89a....", "image/gif"],
    ["RIFF....WEBPVP8 ", "image/webp"],
    ["RIFF....WAVEfmt ", "audio/wav"],
    ["RIFF....AVI LIST", "text/plain"],
    ["....ftypavif", "image/avif"],
    ["....ftypheic", "image/heic"],
    ["....ftypM4A ", "audio/mp4"],
    ["....ftypqt  ", "video/quicktime"],
    ["....ftypisom", "video/mp4"],
    ["\x1a\x45\xdf\xa3....", "video/webm"],
    ["%PDF-1.7", "application/pdf"],
    ["ID3\x04....", "audio/mpeg"],
    ["\xff\xfb\x90\x64", "audio/mpeg"],
    ["OggS....", "audio/ogg"],
    ["fLaC....", "audio/flac"],
    ["\x1f\x8b\x08....", "application/gzip"],
    ["PK\x03\x04....", "application/zip"],
    ["SQLite format 3\0", "application/vnd.sqlite3"],
    ["\xff\xfe\x00\x01", "application/octet-stream"],
  ])("is shown by its first bytes: %j is %s", (text, type) => expect(sniffMime(latin1(text))).toBe(type));

  test.each([
    ["a,b\n1,2\n", "data.csv", "text/csv"],
    ['{"a":1}', "data.json", "application/json"],
    ["# Title", "README.md", "text/markdown"],
    ["PK\x03\x04", "report.docx", `${office}wordprocessingml.document`],
    ["PK\x03\x04", "sheet.XLSX", `${office}spreadsheetml.sheet`],
    ["hello", "", "text/plain"],
    ["\x1b[31mred\x1b[0m\r\n", "run.log", "text/plain"],
    ["<!DOCTYPE html><p>", "", "text/html"],
    ['<?xml version="1.0"?>\n<svg xmlns="…">', "", "image/svg+xml"],
  ])("is told by the name where the content leaves a choice: %j as %j is %s", (text, name, type) =>
    expect(sniffMime(utf8(text), name)).toBe(type),
  );

  test("is not what a name says against the content", () => {
    expect(sniffMime(utf8("not a picture"), "plot.png")).toBe("text/plain");
    expect(sniffMime(latin1("\x89PNG\r\n\x1a\n"), "data.csv")).toBe("image/png");
    expect(sniffMime(latin1("\0\0\0"), "data.csv")).toBe("application/octet-stream");
  });

  test("of text that is cut in the middle of a character is text", () => {
    expect(sniffMime(utf8("é".repeat(4_000)).subarray(0, 4_097))).toBe("text/plain");
    expect(sniffMime(utf8(`a${"é".repeat(4_000)}`))).toBe("text/plain");
  });

  test("of nothing is what its name says", () => {
    expect(sniffMime(new Uint8Array(), "a.txt")).toBe("text/plain");
    expect(sniffMime(new Uint8Array())).toBe("application/octet-stream");
  });
});

test("names and types lead to each other", () => {
  expect([mimeByName("a/b.PNG"), mimeByName("noext"), mimeByName("a.unknown")]).toEqual(["image/png", undefined, undefined]);
  expect([extensionOf("image/jpeg"), extensionOf("audio/L16;rate=24000"), extensionOf("x/y")]).toEqual(["jpg", "pcm", "bin"]);
});
