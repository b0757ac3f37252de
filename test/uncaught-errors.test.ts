import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installLibrary, runProgram } from "../scripts/mistakes.ts";
import { builtPackage } from "./support/built.ts";

// Every program fails with a missing key. `// here` marks the line that the error must name.
const model = `{ model: "openai:gpt-5.2" }`;
const programs: readonly (readonly [string, string])[] = [
  ["an awaited call", `await new Agent(${model}).send("Hello"); // here`],
  ["a call with `then`", `new Agent(${model}).send("Hello").then((reply) => console.log(reply.text)); // here`],
  ["a call that nobody awaits", `new Agent(${model}).chat().send("Hello"); // here`],
  [
    "a call in a function",
    `async function main() {
      const reply = await new Agent(${model}).send("Hello"); // here
      return reply.text;
    }
    main();`,
  ],
  [
    "a loop over a view of a stream",
    `const stream = new Agent(${model}).stream("Hello");
    for await (const text of stream.text()) console.log(text); // here`,
  ],
  [
    "the reply of a stream",
    `const stream = new Agent(${model}).stream("Hello");\nconsole.log((await stream.reply).text); // here`,
  ],
  [
    "a loop over the events of a model",
    `const respond = connect(provider("openai:gpt-5.2"));
    for await (const event of respond({ input: "Hello" })) console.log(event); // here`,
  ],
  ["`collect`", `await collect(connect(provider("openai"))({ input: "Hello" })); // here`],
  ["`listModels`", `await listModels(provider("openai")); // here`],
  ["an embedder", `await embedder("openai").documents(["One", "Two"]); // here`],
  [
    "a hook that throws",
    `const instructions = () => {
      throw new AntiphonError("BAD_REQUEST", "The user has no name."); // here
    };
    await new Agent({ model: "offline", instructions }).send("Hello");`,
  ],
];
const imports = `import { Agent, AntiphonError, blankResponse, collect, connect, listModels, provider } from "antiphon";
import { embedder } from "antiphon/embeddings";
import { fallback } from "antiphon/middleware";
import { scripted } from "antiphon/testing";
`;

describe("an uncaught AntiphonError", () => {
  let project = "";
  beforeAll(() => {
    builtPackage("antiphon");
    project = installLibrary();
  });
  afterAll(() => rmSync(project, { recursive: true }));

  test.each(programs)("has the caller's line and no frame of the library: %s", async (_, program) => {
    const source = imports + program;
    const { stderr } = await runProgram(project, source);
    const topFrame = stderr.split("\n").find((line) => line.startsWith("    at "));
    const marked = source.split("\n").findIndex((line) => line.includes("// here")) + 1;
    expect(topFrame).toContain(`main.mjs:${marked}:`);
    expect(stderr).not.toContain("node_modules");
    expect(stderr).toMatch(/^AntiphonError: /m);
    // A bad request has advice only if it names a parameter.
    if (!stderr.includes("BAD_REQUEST")) expect(stderr).toMatch(/^ {2}advice: /m);
  });

  test("prints the failures of all models of a fallback in less than 4 KB", async () => {
    const { stderr } = await runProgram(
      project,
      `${imports}
      const closed = (name) => connect(provider(name, { apiKey: "sk-1", baseUrl: "http://127.0.0.1:1" }), { retry: { retries: 0 } });
      const middleware = [fallback([closed("anthropic"), closed("gemini")])];
      await new Agent({ model: closed("openai"), middleware }).send("Hello");`,
    );
    expect(stderr).toContain("3 models");
    for (const name of ["openai", "anthropic", "gemini"]) expect(stderr).toContain(`provider: '${name}'`);
    expect(Buffer.byteLength(stderr)).toBeLessThan(4096);
  });

  test("is printed in the same form by `console.log`", async () => {
    const { stdout } = await runProgram(
      project,
      `${imports}
      await new Agent(${model}).send("Hello").catch((error) => console.log(error));`,
    );
    expect(stdout).toMatch(/^AntiphonError: There is no API key[^]*at .*main\.mjs:6:[^]*code: 'AUTH_ERROR',\n {2}advice: /);
    expect(stdout).not.toContain("undefined");
  });

  test("does not print the reply of a run that failed", async () => {
    const { stderr } = await runProgram(
      project,
      `${imports}
      const error = { code: "server_error", message: "The provider failed." };
      const content = [{ type: "output_text", text: "One two three", annotations: [], logprobs: [] }];
      const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
      const response = { ...blankResponse("resp_1", 0, {}), status: "failed", error, output };
      await new Agent({ model: scripted([response]) }).send("Hello");`,
    );
    expect(stderr).toMatch(/: The provider failed\.$/m);
    expect(stderr).not.toContain("One two three");
  });
});
