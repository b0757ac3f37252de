// A chat in a file: another process can open the session and continue the conversation.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, Chat } from "antiphon";
import { fileSessions } from "antiphon/node";

const directory = await mkdtemp(join(tmpdir(), "sessions-"));
const agent = new Agent({ model: "offline" });

const first = await Chat.from(agent, fileSessions(directory), "support-17");
await first.send("My name is Ada.");

const later = await Chat.from(agent, fileSessions(directory), "support-17");
console.log((await later.send("What is my name?")).text);
console.log(await fileSessions(directory).list());

await rm(directory, { recursive: true });

// Prints:
//   Your name is Ada.
//   [ 'support-17' ]
