// A chat remembers the conversation. You can fork it, undo turns, and restore it from JSON.
import { Agent, Chat } from "antiphon";

const agent = new Agent({ model: "offline", instructions: "Answer in one sentence." });
const chat = agent.chat();

await chat.send("My name is Ada.");
console.log((await chat.send("What is my name?")).text);

const fork = chat.fork();
await fork.send("My name is Bob.");
console.log((await fork.send("What is my name?")).text);

await fork.undo(2);
console.log((await fork.send("What is my name?")).text);

const copy = Chat.from(agent, JSON.stringify(chat));
console.log(`${copy.items.length} items, ${copy.stats().turns} turns`);

// Prints:
//   Your name is Ada.
//   Your name is Bob.
//   Your name is Ada.
//   4 items, 2 turns
