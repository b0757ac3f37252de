import { expect, test } from "vitest";
import { progressBar } from "../src/progress.ts";

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, write: (text: string) => written.push(text) } };
}

test("a bar grows on a terminal, and leaves nothing behind", () => {
  const { written, stream } = terminal(true);
  const bar = progressBar("Embedding", stream);
  bar.update(1, 2);
  bar.update(2, 2);
  bar.end();
  expect(written).toEqual([
    `\r\u001B[KEmbedding ${"█".repeat(15)}${"░".repeat(15)} 1/2`,
    `\r\u001B[KEmbedding ${"█".repeat(30)} 2/2`,
    "\r\u001B[K",
  ]);
});

test("where there is no terminal, nothing is written", () => {
  const { written, stream } = terminal(false);
  const bar = progressBar("Embedding", stream);
  bar.update(1, 2);
  bar.end();
  expect(written).toEqual([]);
});
