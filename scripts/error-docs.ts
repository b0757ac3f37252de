import { errorCodes } from "antiphon";

/** `docs/errors.md`, from the table of codes. */
export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { meaning, advice, retry }]) => `| \`${code}\` | ${meaning} | ${advice} | ${retry ? "yes" : "no"} |`,
  );
  return `# Errors

Everything that this library throws is an \`AntiphonError\`. Its \`code\` is one of the list below and of no other; \`advice\` is the
sentence of the third column. Where they are known, it also has \`provider\`, \`status\`, \`requestId\`, \`param\`, \`retryAfter\` (in
milliseconds), \`vendorCode\` (what the provider itself called it) and \`cause\`.

An error before the first event of a stream is thrown. After it, the stream ends with \`response.failed\`, and \`outcome(response)\` gives
the same \`AntiphonError\` back. What had arrived is kept in the response's \`output\`.

"Again" says whether the same request may succeed a little later. Such errors are retried by themselves as long as no output was seen.
A \`TIMEOUT\` is retried only while connecting: after that, the model [may have been paid for](timeouts.md#what-is-retried).

| code | what happened | what to do | again |
|---|---|---|---|
${rows.join("\n")}

This page is generated: change \`packages/antiphon/src/core/error-codes.ts\` and run \`UPDATE_DOCS=1 npx vitest run test/docs.test.ts\`.
`;
}
