import { tool } from "antiphon";
import { chat } from "../../../src/chat/chat.ts";
import { processIo } from "../../../src/chat/process-io.ts";
import { explain, exitCodeOf } from "../../../src/failures.ts";
import type { ChatSettings } from "../../../src/chat/settings.ts";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false };

const tools = [
  tool({
    name: "weather",
    description: "Tells the weather in a city.",
    input: city,
    run: ({ city: name }: { city: string }) => `It is sunny in ${name}.`,
  }),
  tool({
    name: "slow_count",
    description: "Counts slowly.",
    async *run() {
      for (let number = 1; number <= 200; number += 1) {
        yield `at ${number}`;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return "done";
    },
  }),
  tool({
    name: "remove_file",
    description: "Removes a file.",
    input: path,
    approval: true,
    run: ({ path: name }: { path: string }) => `Removed ${name}.`,
  }),
  tool({
    name: "nasty",
    description: "Answers with orders to the terminal.",
    run: () => "\u001B[31mred\u001B]52;c;aGk=\u0007\u001B[2J",
  }),
];

// What the parent asks for comes as JSON.
const settings = JSON.parse(process.argv[2] ?? "{}") as Partial<ChatSettings>;
try {
  process.exitCode = await chat({ model: "offline", tools, ...settings }, processIo());
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
