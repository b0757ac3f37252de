import type { CallOptions, CreateResponse, EventStream, Respond } from "antiphon";
import type { Ask, Choice, Drawn, Run } from "./choices.ts";
import { costOf, type Prices } from "./costs.ts";
import type { CostOf, ModelRoute, RelayWire } from "./models.ts";

/** What a name stands for, and what can be said of it before it is asked. */
export interface Plan {
  choice: Choice;
  ask: Ask;
  first: Drawn;
  /** All that may answer. */
  all: readonly Drawn[];
  /** The wire on which all answers may pass unread, where there is one. */
  wire: RelayWire | undefined;
}

export function planOf(choice: Choice): Plan {
  const all = choice.all({});
  // A choice has at least one model.
  return { choice, ask: choice.open({}), first: all[0]!, all, wire: relayWire(all) };
}

const relayWires: ReadonlySet<string> = new Set(["responses", "chat", "messages"] satisfies RelayWire[]);
const isRelayWire = (wire: string | undefined): wire is RelayWire => wire !== undefined && relayWires.has(wire);

function relayWire(all: readonly Drawn[]): RelayWire | undefined {
  const wire = all[0]?.target.source.wire;
  const isClean = all.every(({ target }) => target.source.relays && target.source.wire === wire);
  return isClean && isRelayWire(wire) ? wire : undefined;
}

/** The route of a plan, for one run. */
export class Route implements ModelRoute {
  readonly name: string;
  readonly relay: ModelRoute["relay"];
  readonly #ask: Ask;
  readonly #run: Run;
  readonly #prices: Prices;

  constructor(name: string, { ask, first, wire }: Plan, prices: Prices) {
    this.name = name;
    this.#ask = ask;
    this.#run = { relays: false, answering: first };
    this.#prices = prices;
    this.relay = wire && { wire, respond: (request, call) => this.#answer(true, request, call) };
  }

  get model(): string {
    return this.#run.answering.target.model;
  }

  get provider(): string {
    return this.#run.answering.target.source.name;
  }

  get seals(): boolean {
    return this.#run.answering.target.seals;
  }

  readonly respond: Respond = (request, call) => this.#answer(false, request, call);

  readonly cost: CostOf = (usage) => costOf(this.#run.answering, this.model, usage, this.#prices);

  #answer(relays: boolean, request: CreateResponse, call: CallOptions | undefined): EventStream {
    this.#run.relays = relays;
    return this.#ask(this.#run, request, call);
  }
}
