import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, root } from "./sources.ts";

/** A fenced block of a page. */
export interface Block {
  /** The page's path and the line of the fence: `README.md:12`. */
  where: string;
  path: string;
  language: string;
  /** The words behind the language: `run`, `output`. */
  words: string[];
  text: string;
  /** The whole block, fences and all. */
  fence: string;
}

const fences = /^```(\w+)([^\n]*)\n(.*?)^```$/gms;

/** The fenced blocks of a page, in order. */
export function blocksOf(path: string): Block[] {
  const page = readFileSync(join(root, path), "utf8");
  return [...page.matchAll(fences)].map(({ 0: fence, index, 1: language = "", 2: words = "", 3: text = "" }) => ({
    where: `${path}:${page.slice(0, index).split("\n").length}`,
    path,
    language,
    words: words.trim().split(" ").filter(Boolean),
    text,
    fence,
  }));
}

/** The pages that the project writes. */
export const pages = ["README.md", "CONTRIBUTING.md", ...filesBelow("docs", ".md"), ...filesBelow("packages", "README.md")];
