/** The processes of the gateway bench. Where the machine lets us choose, what is measured has a core that the others leave alone. */
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", NODE_NO_WARNINGS: "1" };
const canPin = spawnSync("taskset", ["-c", "1", "true"]).status === 0;

/** A child that answers every message with one. */
export class Child {
  constructor(script, args = [], { core = 0, flags = [] } = {}) {
    const file = fileURLToPath(new URL(script, import.meta.url));
    const command = [...(canPin ? ["taskset", "-c", String(core)] : []), process.execPath, ...flags, file, ...args];
    this.name = script;
    this.process = spawn(command[0], command.slice(1), { env: environment, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.ready = this.#reply(60_000);
  }

  #reply(limitMs) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail(`gave no answer in ${limitMs / 1000} s`), limitMs);
      const fail = (reason) => {
        clearTimeout(timer);
        reject(new Error(`${this.name} ${reason}`));
      };
      const onExit = (code, signal) => fail(`ended with ${signal ?? code}`);
      this.process.once("exit", onExit);
      this.process.once("message", (message) => {
        clearTimeout(timer);
        this.process.off("exit", onExit);
        if (message.error) reject(new Error(`${this.name}: ${message.error}`));
        else resolve(message);
      });
    });
  }

  ask(message, limitMs = 300_000) {
    const answer = this.#reply(limitMs);
    this.process.send(message);
    return answer;
  }

  stop() {
    if (this.process.connected) this.process.disconnect();
    return new Promise((resolve) => {
      if (this.process.exitCode !== null) resolve();
      else this.process.once("exit", resolve);
    });
  }
}
