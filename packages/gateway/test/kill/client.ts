import { isTerminal, type ResponseEvent, type ResponseResource } from "antiphon";

/** One response as a client that asked for it knows it. */
export class Client {
  readonly name: string;
  readonly kind: "foreground" | "followed" | "plain";
  /** Known once the gateway has acknowledged it. */
  id: string | undefined;
  /** What was seen of its stream, over all connections. */
  readonly seen: ResponseEvent[] = [];
  readonly #told: () => void;

  /** Calls back with every event. */
  constructor(name: string, kind: Client["kind"], told: () => void = () => {}) {
    this.name = name;
    this.kind = kind;
    this.#told = told;
  }

  /** Asks, and reads for as long as the connection lasts. */
  async ask(url: string): Promise<void> {
    const body = {
      model: "m",
      input: `Say something to ${this.name}`,
      stream: this.kind !== "plain",
      background: this.kind !== "foreground",
    };
    const response = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${this.name}: ${response.status} ${await response.text()}`);
    if (this.kind === "plain") this.id = ((await response.json()) as ResponseResource).id;
    else await this.#read(response);
  }

  /** Reads on where it was cut off, until the end. */
  async resume(url: string): Promise<void> {
    const last = this.seen.at(-1);
    if (last && isTerminal(last)) return;
    const from = last ? `&starting_after=${last.sequence_number}` : "";
    const response = await fetch(`${url}/v1/responses/${this.id}?stream=true${from}`);
    if (response.status !== 200) throw new Error(`${this.name}: ${response.status} ${await response.text()}`);
    await this.#read(response);
  }

  /** The response as it stands. */
  async get(url: string): Promise<ResponseResource> {
    const response = await fetch(`${url}/v1/responses/${this.id}`);
    if (response.status !== 200) throw new Error(`${this.name} was acknowledged, and is not there: ${response.status}`);
    return (await response.json()) as ResponseResource;
  }

  /** The response once it has ended. */
  async end(url: string): Promise<ResponseResource> {
    for (;;) {
      const response = await this.get(url);
      if (response.status !== "queued" && response.status !== "in_progress") return response;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of body ?? []) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) this.#take(frame.slice(frame.indexOf("data: ") + "data: ".length));
    }
  }

  #take(data: string): void {
    if (data === "[DONE]") return;
    const event = JSON.parse(data) as ResponseEvent;
    this.seen.push(event);
    this.#told();
    if (event.type === "response.created") this.id = event.response.id;
  }
}
