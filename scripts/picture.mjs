// Draws docs/antiphon.svg, the picture in the README: who calls Antiphon, and which models Antiphon calls.
// Run `node scripts/picture.mjs` to write the file; test/docs.test.ts checks that it is up to date.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @typedef {{ x: number; y: number; width: number; height: number; title: string; lines?: string[]; style?: string }} Box */

/** @param {Box} box */
function draw({ x, y, width, height, title, lines = [], style = "box" }) {
  const center = x + width / 2;
  const top = y + height / 2 - lines.length * 9 + 6;
  const small = lines.map((line, index) => `<text class="small" x="${center}" y="${top + 20 + index * 18}">${line}</text>`);
  const frame = `<rect class="${style}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;
  return [frame, `<text class="title" x="${center}" y="${top}">${title}</text>`, ...small].join("\n  ");
}

/** @param {number} x @param {number} y @param {number} length */
const arrow = (x, y, length) => `<path class="arrow" d="M${x} ${y} h${length}"/>`;

const rows = [56, 148, 240];
const callers = [
  { title: "Your TypeScript", lines: ["agents, tools, chats,", "typed output"] },
  { title: "Any HTTP client", lines: ["OpenAI and Anthropic SDKs,", "Codex, Claude Code"] },
  { title: "Your terminal", lines: ["antiphon chat, run,", "embed, media"] },
].map((box, index) => draw({ ...box, x: 20, y: rows[index] ?? 0, width: 200, height: 76 }));

const parts = ["Library", "Gateway", "Command line"].map((title, index) =>
  draw({ title, x: 282, y: (rows[index] ?? 0) + 8, width: 130, height: 60, style: "part" }),
);
const words = { title: "One vocabulary", lines: ["requests, items", "and events of", "the Responses API"] };
const vocabulary = draw({ ...words, x: 446, y: 64, width: 148, height: 244, style: "part" });

const models = [
  { title: "Responses", lines: ["OpenAI, xAI, Azure, vLLM"] },
  { title: "Messages", lines: ["Anthropic, Vertex"] },
  { title: "Gemini", lines: ["Google, Vertex"] },
  { title: "Chat Completions", lines: ["Groq, Mistral, Ollama, …"] },
].map((box, index) => draw({ ...box, x: 660, y: 48 + index * 69, width: 200, height: 58 }));

const arrows = rows.flatMap((y) => [arrow(224, y + 38, 54), arrow(416, y + 38, 26)]);
const calls = [0, 1, 2, 3].map((index) => arrow(598, 77 + index * 69, 58));

/** The whole picture, as the text of an SVG file. */
export const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 340" width="880" height="340" role="img"
  aria-label="Programs, HTTP clients and terminals call Antiphon, which calls models through four wire formats.">
  <style>
    text { font-family: system-ui, sans-serif; text-anchor: middle; fill: #1f2933; }
    .title { font-size: 15px; font-weight: 600; }
    .small { font-size: 13px; fill: #52606d; }
    .sheet { fill: #ffffff; }
    .box { fill: #f7f9fb; stroke: #9aa5b1; }
    .whole { fill: #eef7f6; stroke: #13807a; }
    .part { fill: #ffffff; stroke: #13807a; }
    .arrow { stroke: #52606d; stroke-width: 1.5; fill: none; marker-start: url(#tail); marker-end: url(#head); }
  </style>
  <defs>
    <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7">
      <path d="M0 0 L8 4 L0 8 z" fill="#52606d"/>
    </marker>
    <marker id="tail" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" markerHeight="7">
      <path d="M8 0 L0 4 L8 8 z" fill="#52606d"/>
    </marker>
  </defs>
  <rect class="sheet" width="880" height="340" rx="10"/>
  <rect class="whole" x="266" y="20" width="344" height="306" rx="10"/>
  <text class="title" x="438" y="46">Antiphon</text>
  <text class="small" x="760" y="34">Models</text>
  ${[...callers, ...parts, vocabulary, ...models, ...arrows, ...calls].join("\n  ")}
</svg>
`;

const file = fileURLToPath(new URL("../docs/antiphon.svg", import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, picture);
