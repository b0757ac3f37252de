import type { Respond } from "antiphon";
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
  /** The wire format on which answers may pass unread, if any. */
  wire: RelayWire | undefined;
}

export function planOf(choice: Choice): Plan {
  const all = choice.all({});
  // A choice has at least one model.
  return { choice, ask: choice.open({}), first: all[0]!, all, wire: relayWire(all) };
}

const relayWires: ReadonlySet<string> = new Set(["responses", "chat", "messages"] satisfies RelayWire[]);
const isRelayWire = (wire: string | undefined): wire is RelayWire => wire !== undefined && relayWires.has(wire);

/** A model with several choices is never passed through: whether a choice failed before its output needs parsed events. */
function relayWire([only, ...others]: readonly Drawn[]): RelayWire | undefined {
  if (!only || others.length > 0) return undefined;
  const { relays, wire } = only.target.source;
  return relays && isRelayWire(wire) ? wire : undefined;
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
    this.#run = { answering: first };
    this.#prices = prices;
    this.relay = wire && { wire, respond: (request, call) => this.respond(request, { ...call, relay: true }) };
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

  readonly respond: Respond = (request, call) => this.#ask(this.#run, request, call);

  readonly cost: CostOf = (usage) => costOf(this.#run.answering, this.model, usage, this.#prices);
}
