import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { mcpServer, type McpOptions, type StdioServer } from "../../src/mcp/index.ts";
import { isAlive, stdioServer, toolOf, traced, until, use } from "./servers.ts";

describe("the tools of a server", () => {
  test("are all listed, page after page, under names that wires take", async () => {
    const tools = await stdioServer().listTools();
    expect(tools.length).toBeGreaterThan(12);
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(tools.filter((tool) => tool.mcp.name.startsWith("files/")).map((tool) => tool.mcp.name)).toEqual([
      "files/read.text",
      "files/read text",
    ]);
  });

  test("are called by the server's own names, whatever the model knows them by", async () => {
    const server = stdioServer({ prefix: "disk" });
    expect((await toolOf(server, "add")).name).toBe("disk_add");
    expect((await toolOf(server, "files/read text")).name).toMatch(/^disk_files_read_text_\w+$/);
    expect(await use(server, "files/read.text")).toMatchObject({ result: "read" });
    expect(await use(server, "files/read text")).toMatchObject({ result: "read, spaced" });
  });

  test("are sent in strict form, and take what the original schema means", async () => {
    const server = stdioServer();
    const add = await toolOf(server, "add");
    expect(add.definition).toMatchObject({ type: "function", name: "add", description: "Adds two numbers.", strict: true });
    expect(await use(server, "add", '{"a":2,"b":null}')).toMatchObject({ result: "3" });
    expect(() => add.read('{"b":1}')).toThrow(AntiphonError);
  });

  test("are only those that are wanted", async () => {
    const names = async (options: Parameters<typeof stdioServer>[0]): Promise<string[]> =>
      (await stdioServer(options).listTools()).map((tool) => tool.mcp.name);
    expect(await names({ allow: ["add", "fail", "draw"], deny: ["fail"] })).toEqual(["add", "draw"]);
    expect(await names({ allow: ({ annotations }) => annotations?.["readOnlyHint"] === true })).toEqual(["add", "crash-once"]);
  });

  test("are asked for anew when the server says that they have changed, and only then", async () => {
    const server = stdioServer();
    const before = await server.listTools();
    expect(await server.listTools()).toBe(before);
    await use(server, "grow");
    await expect.poll(async () => (await server.listTools()).map(({ name }) => name)).toContain("grown");
  });

  test("need approval as the options and their own words say", async () => {
    const asked = async (approval: McpOptions["approval"]): Promise<string[]> => {
      const tools = await stdioServer({ approval, allow: ["add", "count", "crash"] }).listTools();
      const about = { signal: new AbortController().signal, call_id: "call_1", name: "", context: undefined };
      const needs = await Promise.all(tools.map(async (tool) => tool.needsApproval?.({ to: 3 }, about)));
      return tools.filter((_, at) => needs[at]).map(({ name }) => name);
    };
    const isLong = ({ name }: { name: string }, input: unknown): boolean => name === "count" && (input as { to: number }).to > 2;
    expect(await asked(undefined)).toEqual([]);
    expect(await asked(true)).toEqual(["add", "count", "crash"]);
    expect(await asked("writes")).toEqual(["count", "crash"]);
    expect(await asked("destructive")).toEqual(["crash"]);
    expect(await asked(isLong)).toEqual(["count"]);
  });
});

describe("a call", () => {
  test("yields what the server tells of its progress", async () => {
    const { result, progress } = await use(stdioServer(), "count", { to: 3 });
    expect(result).toBe("counted");
    expect(progress[0]).toEqual({ progress: 1, total: 3, message: "step 1" });
  });

  test("gives pictures, sound, files and links as content parts", async () => {
    const { result } = await use(stdioServer(), "draw");
    expect(result).toMatchObject([
      { type: "input_text", text: "A pixel:" },
      { type: "input_image", image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { type: "input_text", text: "notes" },
      { type: "input_file", filename: "b.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
      { type: "input_text", text: "x: https://example.com/x" },
    ]);
  });

  test("gives structured content where there is no other, or where it is preferred", async () => {
    expect(await use(stdioServer(), "measure")).toMatchObject({ result: '{"celsius":21}' });
    expect(await use(stdioServer(), "forecast")).toMatchObject({ result: "mild" });
    expect(await use(stdioServer({ structured: true }), "forecast")).toMatchObject({ result: '{"celsius":21}' });
  });

  test("that the server calls an error throws its words", async () => {
    await expect(use(stdioServer(), "fail")).rejects.toMatchObject({ message: "The disk is full.", vendorCode: "tool_error" });
  });

  test("gives no more than the bounds allow, and says what is missing", async () => {
    const server = stdioServer({ maxText: 100, maxData: 1_000 });
    const { result } = await use(server, "big", { size: 5_000 });
    expect(result).toBe(`${"x".repeat(100)}\n[4900 more characters omitted: too long]`);
    expect(await use(server, "big-picture", { size: 5_000 })).toMatchObject({
      result: expect.stringMatching(/^\[image of \d+ characters omitted/),
    });
  });

  test("that is stopped is cancelled at the server", async () => {
    const trace = traced();
    const server = stdioServer({}, { TRACE: trace.path });
    const controller = new AbortController();
    const call = use(server, "sleep", {}, controller.signal);
    await until(() => trace.lines().includes("sleeping"));
    controller.abort(new AntiphonError("ABORTED", "Enough."));
    await expect(call).rejects.toMatchObject({ code: "ABORTED", message: "Enough." });
    await until(() => trace.lines().includes("cancelled"));
    expect(await use(server, "add", { a: 1, b: 1 })).toMatchObject({ result: "2" });
  });

  test("whose generator is left is cancelled too", async () => {
    const trace = traced();
    const tool = await toolOf(stdioServer({}, { TRACE: trace.path }), "sleep");
    const context = { signal: new AbortController().signal, call_id: "call_1", name: "sleep", context: undefined };
    const running = tool.run({}, context) as AsyncGenerator;
    expect(await running.next()).toMatchObject({ value: { progress: 0 } });
    await running.return(undefined);
    await until(() => trace.lines().includes("cancelled"));
  });

  test("that takes too long fails, and says so", async () => {
    const trace = traced();
    const server = stdioServer({ timeout: 200 }, { TRACE: trace.path });
    expect((await toolOf(server, "sleep")).timeout).toBe(200);
    await expect(use(server, "sleep")).rejects.toMatchObject({ code: "TIMEOUT" });
  });
});

describe("a server that dies", () => {
  test("is started again for the next call, and the one under way is not made twice", async () => {
    const trace = traced();
    const server = stdioServer({}, { TRACE: trace.path });
    const first = (await use(server, "pid")).result;
    await expect(use(server, "crash")).rejects.toMatchObject({
      code: "CONNECTION_ERROR",
      message: expect.stringContaining("may or may not"),
    });
    const second = (await use(server, "pid")).result;
    expect(second).not.toBe(first);
    expect(trace.lines()).toEqual(["crash"]);
  });

  test("is asked again by a call that only reads", async () => {
    const trace = traced();
    const server = stdioServer({}, { TRACE: trace.path });
    expect(await use(server, "crash-once")).toMatchObject({ result: "survived" });
    expect(trace.lines()).toEqual(["crash-once"]);
  });

  test("while nothing was asked of it is not missed", async () => {
    const server = stdioServer();
    const pid = Number((await use(server, "pid")).result);
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid));
    expect(await use(server, "add", { a: 2, b: 2 })).toMatchObject({ result: "4" });
  });
});

describe("a child process", () => {
  test("gets the variables and the folder that it is given, and what it needs to run", async () => {
    const server = stdioServer({ cwd: tmpdir() }, { COLOUR: "green" });
    expect(await use(server, "env", { name: "COLOUR" })).toMatchObject({ result: "green" });
    expect((await use(server, "env", { name: "PATH" })).result).not.toBe("(unset)");
    expect(await use(server, "cwd")).toMatchObject({ result: realpathSync(tmpdir()) });
  });

  // Writes its id to a file and never reads its input, so only a signal ends it.
  const deaf = (trace: { path: string }): StdioServer => ({
    command: process.execPath,
    args: ["-e", "fs.writeFileSync(process.env.TRACE, `${process.pid}\n`); setInterval(() => {}, 1000)"],
    env: { TRACE: trace.path },
  });

  test("has ended when `close` returns, also when it was still starting", async () => {
    const trace = traced();
    const server = mcpServer({ ...deaf(trace), connectTimeout: 600_000 });
    const listing = server.listTools().catch(String);
    await until(() => trace.lines().length > 0);
    await server.close();
    expect(isAlive(Number(trace.lines()[0]))).toBe(false);
    expect(await listing).toContain("The connection to the MCP server was closed.");
  });

  test("has ended when `close` returns, also when it had been given up", async () => {
    const trace = traced();
    const server = mcpServer({ ...deaf(trace), connectTimeout: 1_000 });
    const listing = server.listTools().catch((error: unknown) => error);
    await until(() => trace.lines().length > 0);
    expect(await listing).toMatchObject({ code: "TIMEOUT" });
    await server.close();
    expect(isAlive(Number(trace.lines()[0]))).toBe(false);
  });

  test("is ended by close, and no call starts it again", async () => {
    const server = stdioServer();
    const pid = Number((await use(server, "pid")).result);
    const tool = await toolOf(server, "add");
    await server.close();
    await until(() => !isAlive(pid));
    const context = { signal: new AbortController().signal, call_id: "c", name: "add", context: undefined };
    await expect((tool.run({ a: 1 }, context) as AsyncGenerator).next()).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
  });

  test("that is not there, or ends at once, is an error that says why", async () => {
    const missing = mcpServer({ command: "/no/such/program" });
    await expect(missing.listTools()).rejects.toMatchObject({
      code: "CONNECTION_ERROR",
      message: expect.stringContaining("ENOENT"),
    });
    const broken = mcpServer({ command: process.execPath, args: ["-e", "console.error('No token.'); process.exit(1)"] });
    await expect(broken.connect()).rejects.toMatchObject({
      code: "CONNECTION_ERROR",
      message: expect.stringContaining("Its last output: No token."),
    });
    await broken.close();
  });

  test("that never answers is given up in time, and can be waited for in vain by several", async () => {
    const deaf = mcpServer({ command: process.execPath, args: ["-e", "setTimeout(() => {}, 60000)"], connectTimeout: 300 });
    const controller = new AbortController();
    const stopped = deaf.listTools(controller.signal);
    const waiting = deaf.listTools();
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ code: "ABORTED" });
    await expect(waiting).rejects.toMatchObject({ code: "TIMEOUT" });
    await deaf.close();
  });

  test("is told who is there, and tells who it is", async () => {
    const server = stdioServer();
    const manifest: { version: string } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await server.connect()).toEqual({ name: "test-server", version: "1.0.0", instructions: "Be kind." });
    expect(JSON.parse(String((await use(server, "client")).result))).toEqual({ name: "antiphon", version: manifest.version });
  });
});
