/** The signs that are drawn beside text. */
export interface Glyphs {
  bullet: string;
  bar: string;
  rule: string;
  cross: string;
  done: string;
  failed: string;
  arrow: string;
  dot: string;
  spinner: readonly string[];
}

const unicode: Glyphs = {
  bullet: "•",
  bar: "│",
  rule: "─",
  cross: "┼",
  done: "✓",
  failed: "✗",
  arrow: "→",
  dot: "·",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ascii: Glyphs = {
  bullet: "*",
  bar: "|",
  rule: "-",
  cross: "+",
  done: "+",
  failed: "x",
  arrow: "->",
  dot: "-",
  spinner: ["|", "/", "-", "\\"],
};

/** The signs that a terminal can show: letters alone where the locale is said to have no others, and on the bare console. */
export function glyphsFor(env: Readonly<Record<string, string | undefined>>): Glyphs {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  const isNarrow = (locale && !/utf-?8/i.test(locale)) || env["TERM"] === "linux" || env["TERM"] === "dumb";
  return isNarrow ? ascii : unicode;
}
