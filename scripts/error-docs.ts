import { errorCodes } from "antiphon";

/** `docs/errors.md`, from the table of codes. */
export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { meaning, advice, retry }]) => `| \`${code}\` | ${meaning} | ${advice} | ${retry ? "yes" : "no"} |`,
  );
  return `# Errors

Every error that this library throws is an \`AntiphonError\`. Its \`code\` is one of the codes below; \`advice\` is the sentence of the
third column. For \`BAD_REQUEST\`, \`advice\` names the parameter, and is \`undefined\` without one. If known, an error also has
\`provider\`, \`status\`, \`requestId\`, \`param\`, \`retryAfter\` (in milliseconds), \`vendorCode\` (the provider's own code) and \`cause\`.

An error before the first event of a stream is thrown. After it, the stream ends with \`response.failed\`, and \`outcome(response)\` gives
the same \`AntiphonError\` back. What had arrived is kept in the response's \`output\`.

"Again" says whether the same request may succeed a little later. Such errors are retried by themselves as long as no output was seen.

| code | what happened | what to do | again |
|---|---|---|---|
${rows.join("\n")}

This page is generated: change \`packages/antiphon/src/core/error-codes.ts\` and run \`UPDATE_DOCS=1 npx vitest run test/docs.test.ts\`.
`;
}
