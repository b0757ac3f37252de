import type { Look } from "./turn/segments.ts";
import { glyphsFor, type Glyphs } from "./text/glyphs.ts";
import type { ChatIo, ChatSettings } from "./settings.ts";

/** What a terminal can show. */
export interface Abilities {
  hasColour: boolean;
  glyphs: Glyphs;
}

/** What is said about colours, or else whether the output is a terminal that has some. */
export function abilitiesOf({ colour }: ChatSettings, { env, output }: ChatIo): Abilities {
  const usual = output.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return { hasColour: colour ?? usual, glyphs: glyphsFor(env) };
}

/** Whether keys can be read one by one, and the cursor moved. */
export const isInteractive = ({ input, output, env }: ChatIo): boolean =>
  input.isTTY === true && input.setRawMode !== undefined && output.isTTY === true && env["TERM"] !== "dumb";

/** How things are drawn at a time. */
export const lookAt = ({ hasColour, glyphs }: Abilities, width: number, tick: number): Look => ({
  width,
  glyphs,
  marks: !hasColour,
  spinner: glyphs.spinner[tick % glyphs.spinner.length]!,
});
