import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ResponseEvent } from "antiphon";
import { lifecycleLaw } from "antiphon/testing";
import { afterEach, describe, expect, test } from "vitest";
import { antiphon, jsonLines, start } from "./support/antiphon.ts";
import { provider, saying } from "./support/provider.ts";

const schemaFile = fileURLToPath(new URL("support/city-report.json", import.meta.url));

describe("an answer", () => {
  test("goes to standard output, and nothing else does", async () => {
    const { stdout, stderr, code } = await antiphon(["run", "[[say:Good morning.]]"]);
    expect({ stdout, stderr, code }).toEqual({ stdout: "Good morning.\n", stderr: "", code: 0 });
  });

  test("is to the prompt on standard input where none is typed, or a dash is", async () => {
    const piped = await antiphon(["run"], "[[say:From a pipe.]]\n");
    const dashed = await antiphon(["run", "-"], "[[say:From a pipe.]]\n");
    expect([piped.stdout, dashed.stdout]).toEqual(["From a pipe.\n", "From a pipe.\n"]);
  });

  test("is to all words that are typed, whether quoted or not", async () => {
    const { stdout } = await antiphon(["run", "[[say:Several", "words.]]"]);
    expect(stdout).toBe("Several words.\n");
  });

  test("comes from the model that the environment names", async () => {
    const { stderr, code } = await antiphon(["run", "Hello"], "", { env: { ANTIPHON_MODEL: "nonsense" } });
    expect(stderr).toContain("ANTIPHON_MODEL: Unknown provider");
    expect(code).toBe(3);
  });

  test("keeps thinking apart, on standard error and without colour where that is no terminal", async () => {
    const { stdout, stderr } = await antiphon(["run", "--effort", "high", "[[say:Done.]]"]);
    expect(stdout).toBe("Done.\n");
    expect(stderr).toMatch(/\w/);
    expect(stderr).not.toContain("\u001B");
  });

  test("that is a refusal goes to standard error, with exit code 1", async () => {
    const { stdout, stderr, code } = await antiphon(["run", "[[refuse:I would rather not.]]"]);
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: "refused: I would rather not.\n", code: 1 });
  });

  test("that stops short says why, with exit code 1", async () => {
    const { stderr, code } = await antiphon(["run", "[[stop:max_output_tokens]] Tell me a story."]);
    expect(stderr).toContain("incomplete answer: max_output_tokens");
    expect(code).toBe(1);
  });
});

describe("--json", () => {
  test("prints lawful events, one a line", async () => {
    const { stdout, code } = await antiphon(["run", "--json", "--effort", "low", "Hello"]);
    const events = jsonLines<ResponseEvent>(stdout);
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(code).toBe(0);
  });

  test("tells a run with tools as one response, results among its items", async () => {
    const { stdout } = await antiphon(["run", "--json", "--tool", "calculator", "Use the calculator: what is 6 * 7?"]);
    const events = jsonLines<ResponseEvent>(stdout);
    const items = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
    expect(items.map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(items[1]).toMatchObject({ output: "42" });
    expect(events.filter(({ type }) => type === "response.completed")).toHaveLength(1);
  });
});

describe("--schema", () => {
  test("prints JSON that fits", async () => {
    const { stdout, code } = await antiphon(["run", "--schema", schemaFile, "How warm is it in Oslo?"]);
    expect(JSON.parse(stdout)).toEqual({ city: expect.any(String) as string, celsius: expect.any(Number) as number });
    expect(code).toBe(0);
  });

  test("prints nothing where the model refuses", async () => {
    const { stdout, stderr, code } = await antiphon(["run", "--schema", schemaFile, "[[refuse:No.]]"]);
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: "refused: No.\n", code: 1 });
  });

  test.each([["missing.json"], [fileURLToPath(import.meta.url)]])("refuses %s, which is no schema", async (file) => {
    const { stderr, code } = await antiphon(["run", "--schema", file, "Hello"]);
    expect(stderr).toMatch(/^antiphon: --schema: /);
    expect(stderr).toContain(file);
    expect(code).toBe(1);
  });
});

describe("--tool", () => {
  test("shows the call and its result beside the answer", async () => {
    const { stdout, stderr, code } = await antiphon(["run", "--tool", "clock", "What time is it in Oslo?"]);
    expect(stderr).toMatch(/^→ clock \{"place":"Oslo"\}$/m);
    expect(stderr).toMatch(/^← clock .+ in Europe\/Oslo$/m);
    expect(stdout).toContain("in Europe/Oslo");
    expect(code).toBe(0);
  });

  test("gives a tool's failure back to the model", async () => {
    const { stderr, code } = await antiphon(["run", "--tool", "clock", '[[call:clock {"place":"Atlantis"}]]']);
    expect(stderr).toContain('← clock Error: No time zone is known for "Atlantis"');
    expect(code).toBe(0);
  });

  test("stops asking after --max-steps", async () => {
    const { stderr, code } = await antiphon(["run", "--max-steps", "1", "--tool", "clock", "What time is it in Oslo?"]);
    expect(stderr).toContain("incomplete answer: max_steps");
    expect(code).toBe(1);
  });
});

describe("a command line that makes no sense ends with exit code 2 and says why", () => {
  test.each([
    [["run", "--colour", "Hello"], "--colour"],
    [["run"], "the prompt is empty"],
    [["run", "--effort", "huge", "Hello"], "--effort must be one of none, minimal"],
    [["run", "--tool", "hammer", "Hello"], '--tool: unknown tool "hammer"'],
    [["run", "--max-steps", "1.5", "Hello"], "--max-steps must be a whole number"],
    [["run", "--timeout", "soon", "Hello"], "--timeout must be a number"],
    [["run", "--model", "nonsense:x", "Hello"], "--model: Unknown provider"],
    [
      ["run", "--set", "provider=openai", "--model", "opnai:gpt-5.2", "Hello"],
      '--model: Unknown provider "opnai". Did you mean "openai"?',
    ],
    [["embed", "create", "--model", "opneai:x", "-"], '--model: Unknown provider "opneai". Did you mean "openai"?'],
    [["media", "--model", "opneai:x", "A cat"], '--model: Unknown provider "opneai". Did you mean "openai"?'],
  ])("%j", async (args, reason) => {
    const { stdout, stderr, code } = await antiphon(args);
    expect(stderr).toContain(reason);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
  });
});

describe("a failure ends with the exit code of its kind", () => {
  test("5 where the time is up, whoever answers and whatever takes so long", async () => {
    const asleep = `${process.execPath} -e setInterval(()=>{},1000)`;
    for (const args of [["[[slow:100]] [[long:200]]"], ["--mcp", asleep, "Hello"]]) {
      const { stderr, code } = await antiphon(["run", "--timeout", "0.5", ...args]);
      expect(stderr).toContain("TIMEOUT: The answer took longer than 0.5 s");
      expect(code).toBe(5);
    }
  });

  let server: Server | undefined;
  afterEach(() => server?.close());

  const listen = async (status: number, body: object): Promise<string> => {
    server = createServer((_, reply) =>
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  };
  const key = { OPENAI_API_KEY: "sk-test" };

  test("3 where a key is missing, and it names the variable", async () => {
    const { stderr, code } = await antiphon(["run", "--model", "openai", "Hello"]);
    expect(stderr).toMatch(
      /^antiphon: AUTH_ERROR: There is no key for openai\.\nSet OPENAI_API_KEY, or add `api_key` under \[providers\.openai\]/,
    );
    expect(code).toBe(3);
  });

  test("4 where the provider refuses the request, with its words and what to do", async () => {
    const url = await listen(400, { error: { message: "Too hot.", type: "invalid_request_error", param: "temperature" } });
    const { stderr, code } = await antiphon(["run", "--model", "openai", "--base-url", url, "Hello"], "", { env: key });
    expect(stderr).toBe("antiphon: BAD_REQUEST: Too hot.\nChange or remove --temperature (`temperature`).\n");
    expect(code).toBe(4);
  });

  test("5 where nobody answers", async () => {
    const url = await listen(200, {});
    server?.close();
    const { stderr, code } = await antiphon(["run", "--model", "openai", "--base-url", url, "Hello"], "", { env: key });
    expect(stderr).toContain("CONNECTION_ERROR");
    expect(code).toBe(5);
  });

  test("4 where the model fails half-way, after what it had said", async () => {
    const { stdout, stderr, code } = await antiphon(["run", "[[fail:server_error]] Tell me a story."]);
    expect(stdout).toMatch(/\w.*\n$/s);
    expect(stderr).toContain("SERVER_ERROR");
    expect(code).toBe(4);
  });
});

describe("stopping early", () => {
  test("by Ctrl-C ends the line, says so, and gives exit code 1", async () => {
    const child = start(["run", "[[slow:50]] [[long:500]]"]);
    child.stdin.end();
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect(await stderr).toBe("antiphon: cancelled\n");
    expect(await stdout).toMatch(/\n$/);
    expect(code).toBe(1);
  });

  test("by a reader that has seen enough is no failure", async () => {
    const child = start(["run", "[[long:50000]]"]);
    child.stdin.end();
    const stderr = text(child.stderr);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "close");
    expect({ stderr: await stderr, code }).toEqual({ stderr: "", code: 0 });
  });
});

test("a tree that is not built says what to do", async () => {
  const folder = await mkdtemp(join(tmpdir(), "antiphon-bin-"));
  await cp(new URL("../bin", import.meta.url), join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const { stderr, status } = spawnSync(process.execPath, [join(folder, "bin/antiphon.js")], { encoding: "utf8" });
  await rm(folder, { recursive: true });
  expect(stderr).toContain("npm run build");
  expect(status).toBe(1);
});

describe("help and version", () => {
  test("need no model", async () => {
    const { stdout, code } = await antiphon(["run", "--help"], "", { env: { ANTIPHON_MODEL: "nonsense" } });
    expect(stdout).toContain("Usage: antiphon run");
    expect(code).toBe(0);
  });

  test("tell the version of the package", async () => {
    expect((await antiphon(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a bare prompt", () => {
  test.each([[["What is 6 * 7?"]], [["hello"]], [["-m", "offline", "Hello there"]]])("%j runs", async (args) => {
    expect(await antiphon(args)).toEqual(await antiphon(["run", ...args]));
    expect((await antiphon(args)).code).toBe(0);
  });

  test("that looks like a command suggests the command and does not run", async () => {
    const { stdout, stderr, code } = await antiphon(["serv", "--port", "1"]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr).toBe('antiphon: unknown command "serv"; did you mean "serve"?\nTry: antiphon --help\n');
  });
});

describe("usage errors suggest the nearest name and the help page of the command", () => {
  test.each([
    [["run", "--modle", "x", "hi"], "unknown option --modle; did you mean --model?", "run"],
    [["embed", "search", "--idnex", "x", "hi"], "unknown option --idnex; did you mean --index?", "embed search"],
    [
      ["run", "--tool", "calc", "hi"],
      '--tool: unknown tool "calc"; did you mean "calculator"? Available: clock, calculator',
      "run",
    ],
    [["run", "--effort", "giant", "hi"], '--effort must be one of none, minimal, low, medium, high, xhigh, not "giant"', "run"],
    [["run", "--max-tokens"], "--max-tokens requires a value", "run"],
    [["keys"], "antiphon keys requires a command: create, list, revoke", "keys"],
  ])("%j", async (args, message, page) => {
    expect(await antiphon(args)).toEqual({
      stdout: "",
      stderr: `antiphon: ${message}\nTry: antiphon ${page} --help\n`,
      code: 2,
    });
  });

  test("other errors have no help page", async () => {
    const { stderr, code } = await antiphon(["run", "@nope.png"]);
    expect({ stderr, code }).toEqual({ stderr: "antiphon: no such file: nope.png\n", code: 1 });
  });
});

describe("run --json ends with one line of JSON after an error", () => {
  test.each([
    [["--model", "openai", "Hello"], { code: "AUTH_ERROR", message: "There is no key for openai.", exit_code: 3 }],
    [["--modle", "x", "Hello"], { code: "USAGE", exit_code: 2 }],
    [["@nope.png"], { code: "ERROR", message: "no such file: nope.png", exit_code: 1 }],
  ])("%j", async (args, expected) => {
    const { stdout, code } = await antiphon(["run", "--json", ...args]);
    const lines = jsonLines<{ type: string }>(stdout);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ type: "error", ...expected });
    expect(code).toBe(expected.exit_code);
  });

  test("an error after response.completed is the last line", async () => {
    const { url } = await provider(() => saying("no JSON"));
    const args = ["run", "--json", "--schema", schemaFile, "--model", "openai:m", "--base-url", url, "Hello"];
    const { stdout, code } = await antiphon(args, "", { env: { OPENAI_API_KEY: "k" } });
    expect(jsonLines<object>(stdout).at(-1)).toMatchObject({ type: "error", code: "INVALID_OUTPUT", exit_code: 4 });
    expect(code).toBe(4);
  });

  test("the terminal event of a failed response is the last line", async () => {
    const { stdout } = await antiphon(["run", "--json", "[[fail:server_error]] Tell me a story."]);
    expect(jsonLines<ResponseEvent>(stdout).at(-1)?.type).toBe("response.failed");
  });
});
