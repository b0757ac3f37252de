/** Returns the JSON values of an SSE body, split without the real parser, which the tests compare with it. */
export function sseValues(body: Uint8Array): unknown[] {
  return new TextDecoder()
    .decode(body)
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trim())
        .join("\n"),
    )
    .filter((data) => data !== "" && data !== "[DONE]")
    .map((data): unknown => JSON.parse(data));
}
