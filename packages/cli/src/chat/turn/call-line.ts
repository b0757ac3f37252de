import type { Glyphs } from "../text/glyphs.ts";
import { duration } from "../text/amounts.ts";
import { clippedLine, dim, lineOf, plain, type Line, type Style } from "../text/line.ts";
import { oneLine } from "../text/safe-text.ts";
import { clipped, widthOf } from "../text/width.ts";
import type { CallNews, CallState } from "./listener.ts";

/** How far a call is seen to have come. */
type Shown = "running" | "done" | "failed" | "stopped";

const shownAs: Readonly<Record<CallState, Shown>> = {
  written: "running",
  waiting: "running",
  running: "running",
  done: "done",
  failed: "failed",
};
const styles: Readonly<Record<Shown, Style>> = {
  running: { colour: "yellow" },
  done: { colour: "green" },
  failed: { colour: "red" },
  stopped: { colour: "red" },
};
const signs: Readonly<Record<Exclude<Shown, "running">, "done" | "failed">> = {
  done: "done",
  failed: "failed",
  stopped: "failed",
};

// Less than this of what a tool was told says nothing, and the room is better used for what came of it.
const leastAbout = 8;
const aboutShare = 0.4;
const worthTelling = 1_000;

/** A call of a tool in one line: who, with what, what came of it, and how long that took where it took long. */
export function callLine(
  { name = "tool", about = "", state = "written", result = "", milliseconds = 0 }: CallNews,
  isOver: boolean,
  { width, glyphs, spinner }: { width: number; glyphs: Glyphs; spinner: string },
): Line {
  const shown = isOver && shownAs[state] === "running" ? "stopped" : shownAs[state];
  const sign = shown === "running" ? spinner : glyphs[signs[shown]];
  const came = shown === "stopped" ? "stopped" : oneLine(result);
  const time = shown !== "running" && milliseconds >= worthTelling ? ` ${glyphs.dot} ${duration(milliseconds)}` : "";
  const head = ` ${oneLine(name)}`;
  const room = width - widthOf(sign + head + time);
  const aboutRoom = Math.floor(came ? room * aboutShare : room) - 1;
  const told = aboutRoom < leastAbout ? "" : clipped(oneLine(about), aboutRoom);
  const asked = told && ` ${told}`;
  const arrow = ` ${glyphs.arrow} `;
  const rest = came && `${arrow}${clipped(came, Math.max(1, room - widthOf(asked + arrow)))}`;
  const line = [
    ...lineOf(sign, styles[shown]),
    ...lineOf(head, { bold: true }),
    ...lineOf(asked, dim),
    ...lineOf(rest, plain),
    ...lineOf(time, dim),
  ];
  return clippedLine(line, width);
}
