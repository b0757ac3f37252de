import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** How a gateway is started. */
export interface Settings {
  program: string;
  store: string;
  /** Where its model is. */
  upstream: string;
  lease: number;
}

/** A gateway in a process of its own. */
export class GatewayProcess {
  /** By which the model knows it. */
  readonly name: string;
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, name: string, url: string) {
    this.#child = child;
    this.name = name;
    this.url = url;
  }

  static async start({ program, store, upstream, lease }: Settings, name = "gateway"): Promise<GatewayProcess> {
    const args = [program, name, store, upstream, `${lease}`];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    // A test that fails may leave it behind.
    const kill = (): boolean => child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.removeListener("exit", kill));
    let complaint = "";
    child.stderr.on("data", (text) => (complaint += String(text)));
    for await (const line of createInterface({ input: child.stdout })) return new GatewayProcess(child, name, line);
    throw new Error(`The gateway did not start: ${complaint}`);
  }

  /** Ends it at once, as a crash does. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Asks it to end. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}
