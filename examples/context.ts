// A long conversation in a small token budget: the older part becomes a summary, the newest messages stay unchanged.
import { Agent } from "antiphon";
import { contextManager } from "antiphon/conversation";

const context = contextManager({
  budget: 1_000,
  keep: 0,
  // By default, the conversation's model writes the summary.
  summarise: async ({ previous, items }) => `${previous ?? "The user counted aloud."} ${items.length} more items.`,
});
const chat = new Agent({ model: "offline" }).chat({ context });

for (let turn = 1; turn <= 20; turn += 1) {
  const stream = chat.stream(`Turn ${turn}: ${"one, two, three, ".repeat(4)}`);
  for await (const event of stream) if (event.type === "antiphon:compacted") console.log(`compacted in turn ${turn}`);
}

const { messages, summarised, share } = context.stats();
console.log(`${summarised} of ${messages} messages summarised, ${share < 1 ? "within" : "over"} budget`);

// Prints:
//   compacted in turn 10
//   compacted in turn 14
//   compacted in turn 18
//   29 of 40 messages summarised, within budget
