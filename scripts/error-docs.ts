import { errorCodes } from "antiphon";
import type { Outcome } from "./mistakes.ts";

/** Builds `docs/errors.md` from the table of codes and from what Node printed for common mistakes. */
export function errorsPage(outcomes: readonly Outcome[]): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { meaning, advice, retry }]) => `| \`${code}\` | ${meaning} | ${advice} | ${retry ? "yes" : "no"} |`,
  );
  return `# Errors

Every error that this library throws is an \`AntiphonError\`. Its \`code\` is one of the codes below; \`advice\` is the sentence of the
third column. For \`BAD_REQUEST\`, \`advice\` names the parameter, and is \`undefined\` without one. If known, an error also has
\`provider\`, \`status\`, \`requestId\`, \`param\`, \`retryAfter\` (in milliseconds), \`vendorCode\` (the provider's own code) and \`cause\`.

An error before the first event of a stream is thrown. After that, the stream ends with \`response.failed\`, and \`outcome(response)\` returns
the same \`AntiphonError\`. The response's \`output\` contains what arrived before.

"Retry" says whether the same request may succeed later. Antiphon retries such requests itself until the first output arrives.
A \`TIMEOUT\` is retried only while connecting: after that, the model [may have cost money](timeouts.md#what-is-retried).

| code | what happened | what to do | retry |
|---|---|---|---|
${rows.join("\n")}

## Common mistakes

This is what Node prints for twelve common mistakes: the message, the code, the line of your program, and the advice. Every program starts with
\`import { Agent, tool } from "antiphon";\`.

| mistake | program | output |
|---|---|---|
${outcomes.map((outcome) => `| ${[outcome.title, programOf(outcome), outputOf(outcome)].join(" | ")} |`).join("\n")}

This page is generated. \`npm run docs\` builds the packages, runs the programs and writes the page.
`;
}

const programOf = ({ program }: Outcome): string => program.split("\n").map(codeSpan).join("<br>");

/** The parts of the output that are the same on every machine. */
function outputOf(outcome: Outcome): string {
  const { message, code, line, advice } = readPrinted(outcome.stderr);
  return [shortened(message), codeSpan(`${code} at main.mjs:${line}`), advice]
    .filter(Boolean)
    .join("<br>")
    .replaceAll("|", "\\|");
}

/** Reads an uncaught `AntiphonError` from what Node printed. `line` is the number of the first line of `main.mjs` in its stack. */
export function readPrinted(stderr: string): { message: string; code: string; line: string; advice: string } {
  const [, message = ""] = /^(?:\w+ \[)?\w*Error\]?: ([^]*?)\n {4}at /m.exec(stderr) ?? [];
  const [, line = ""] = /^ {4}at .*\bmain\.mjs:(\d+):\d+\)?/m.exec(stderr) ?? [];
  const field = (name: string): string => {
    const [, , text = ""] = new RegExp(`^  ${name}: (['"\`])(.*)\\1,?$`, "m").exec(stderr) ?? [];
    return text.replaceAll(/\\(.)/g, "$1");
  };
  return { message: message.replaceAll("\n", " "), line, code: field("code"), advice: field("advice") };
}

const longestMessage = 200;
const shortened = (text: string): string =>
  text.length > longestMessage ? `${text.slice(0, longestMessage).trimEnd()} …` : text;

const codeSpan = (text: string): string => `\`${text}\``;
