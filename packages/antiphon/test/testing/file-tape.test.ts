import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileTape } from "../../src/node/file-tape.ts";
import type { Exchange } from "../../src/testing/tape.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "antiphon-tape-"));
});
afterEach(() => rm(directory, { recursive: true }));

const exchange = (body: string, path = "/v1/responses"): Exchange => ({
  request: { method: "POST", url: `https://api.example.com${path}`, headers: {}, body: "{}" },
  response: { status: 200, headers: {}, body },
});

describe("a tape in a directory", () => {
  it("holds nothing before the first exchange, and makes the directory with it", async () => {
    const tape = fileTape(join(directory, "deep", "tape"));
    expect(await tape.load()).toEqual([]);
    await tape.append(exchange("one"));
    expect(await tape.load()).toEqual([exchange("one")]);
  });

  it("keeps exchanges in order, also over ten thousand and from another tape", async () => {
    for (const body of ["one", "two"]) await fileTape(directory).append(exchange(body));
    await writeFile(join(directory, "9999-x.json"), JSON.stringify(exchange("late")));
    const tape = fileTape(directory);
    await Promise.all([tape.append(exchange("last")), tape.append(exchange("very last"))]);
    const bodies = (await tape.load()).map(({ response }) => response?.body);
    expect(bodies).toEqual(["one", "two", "late", "last", "very last"]);
  });

  it("loses nothing where several writers race for a number", async () => {
    const writers = ["a", "b", "c", "d"].map((who) => ({ who, tape: fileTape(directory) }));
    const numbers = Array.from({ length: 10 }, (_, number) => number);
    await Promise.all(writers.flatMap(({ who, tape }) => numbers.map((number) => tape.append(exchange(`${who}${number}`)))));
    const bodies = (await fileTape(directory).load()).map(({ response }) => response?.body ?? "");
    expect(bodies).toHaveLength(40);
    for (const { who } of writers)
      expect(bodies.filter((body) => body.startsWith(who))).toEqual(numbers.map((number) => `${who}${number}`));
  });

  it("writes files that read well: named after the request, a line of the body a line", async () => {
    const sse = "event: x\r\ndata: 1\n\ndata: [DONE]\n\n";
    await fileTape(directory).append(exchange(sse, "/v1/models/a%20b?key=***"));
    const [name] = await readdir(directory);
    expect(name).toBe("0001-post-v1-models-a-20b.json");
    const text = await readFile(join(directory, name!), "utf8");
    expect(JSON.parse(text).response.body).toEqual(["event: x\r", "data: 1", "", "data: [DONE]", "", ""]);
    expect((await fileTape(directory).load())[0]?.response?.body).toBe(sse);
  });

  it("leaves no drafts, and ignores what is not its own", async () => {
    await fileTape(directory).append(exchange("one"));
    await writeFile(join(directory, "README.md"), "What these are");
    expect(await readdir(directory)).toEqual(["0001-post-v1-responses.json", "README.md"]);
    expect(await fileTape(directory).load()).toHaveLength(1);
  });

  it("says when it cannot write", async () => {
    await writeFile(join(directory, "file"), "");
    await expect(fileTape(join(directory, "file")).append(exchange("one"))).rejects.toMatchObject({
      code: expect.stringMatching(/EEXIST|ENOTDIR/),
    });
  });
});
