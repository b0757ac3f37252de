import {
  isReasoningModel,
  modelInfo,
  type CallOptions,
  type EventStream,
  type Price,
  type Respond,
  type Timeouts,
} from "antiphon";
import { fallback } from "antiphon/middleware";
import { Guard } from "./guard.ts";
import type { NamedModel } from "./names.ts";
import { withFields } from "./request-fields.ts";
import type { Source } from "./sources.ts";

/** What was configured on the way to a model: times and retries by whoever is further out, the price by whoever is nearer. */
export interface Place {
  /** Whether there are others to turn to, so that failures are counted. */
  guarded?: boolean;
  price?: Price;
  timeouts?: Timeouts;
  retries?: number;
  /** Whether to turn to the next at once where nobody said how often to try again. */
  hasty?: boolean;
}

/** A model at a provider, and what was configured on the way to it. */
export interface Drawn extends Place {
  target: Target;
}

/** One run, and the model that answers it. */
export interface Run {
  answering: Drawn;
}

/** A model, or some, behind one name. */
export interface Choice {
  /** All that may answer, in the order in which they were written. */
  all(place: Place): Drawn[];
  /** Whether somebody else should be asked. */
  readonly resting: boolean;
  /** Those to ask, first to last, for one request. */
  draw(place: Place): Drawn[];
  /** What asks, from a place: worked out once, for all requests. */
  open(place: Place): Ask;
}

/** Asks for a run, and keeps it told of who answers. */
export type Ask = (run: Run, ...asked: Parameters<Respond>) => EventStream;

/** One model of one provider. */
export class Target implements Choice {
  readonly source: Source;
  /** The model to talk to, and the one for embeddings; what was named counts for both. */
  readonly model: string;
  readonly embeddingModel: string | undefined;
  /** Whether it seals its thoughts when it is asked to. Models that are not known to think refuse to be asked. */
  readonly seals: boolean;
  readonly #clock: () => number;
  #guard: Guard | undefined;

  constructor(source: Source, named: { chat?: string; embeddings?: string }, clock: () => number) {
    const { models } = source.provider;
    this.source = source;
    this.model = named.chat ?? models.chat ?? named.embeddings ?? "";
    this.embeddingModel = named.embeddings ?? named.chat ?? models.embeddings;
    this.seals = source.wire === "responses" && isReasoningModel(this.model) && modelInfo(this.model)?.reasoning === true;
    this.#clock = clock;
  }

  get resting(): boolean {
    return this.#guard?.resting ?? false;
  }

  all(place: Place): Drawn[] {
    return [{ ...place, target: this }];
  }

  draw(place: Place): Drawn[] {
    return this.all(place);
  }

  open(place: Place): Ask {
    const answering = { ...place, target: this };
    return (run, request, call) => {
      run.answering = answering;
      const own = request.model === this.model ? request : { ...request, model: this.model };
      return this.#respond(place.guarded)(own, callOf(place, call));
    };
  }

  #respond(guarded = false): Respond {
    const { respond } = this.source;
    return guarded ? (this.#guard ??= new Guard(respond, this.#clock)).respond : respond;
  }
}

function callOf(place: Place, call: CallOptions | undefined): CallOptions | undefined {
  const { timeouts, retries = place.hasty ? 0 : undefined } = place;
  if (!timeouts && retries === undefined) return call;
  return {
    ...call,
    ...(timeouts ? { timeouts: { ...timeouts, ...call?.timeouts } } : {}),
    ...(retries === undefined ? {} : { retry: { retries, ...call?.retry } }),
  };
}

/** One of several choices. */
export interface Member {
  choice: Choice;
  weight?: number;
  price?: Price;
}

/** Several choices: those with a weight share the requests, the others stand by in their order. */
export class Group implements Choice {
  readonly #members: readonly Member[];
  readonly #random: () => number;

  constructor(members: readonly Member[], random: () => number) {
    this.#members = members;
    this.#random = random;
  }

  get resting(): boolean {
    return this.#members.every(({ choice }) => choice.resting);
  }

  all(place: Place): Drawn[] {
    return this.#members.flatMap(({ choice, price = place.price }) => choice.all({ ...place, price }));
  }

  draw(place: Place): Drawn[] {
    return this.#arranged(place).flatMap(([{ choice }, inner]) => choice.draw(inner));
  }

  open(place: Place): Ask {
    return (run, request, call) => {
      const models = this.#arranged(place).map(([{ choice }, inner]): Respond => {
        const ask = choice.open(inner);
        return (...asked) => ask(run, ...asked);
      });
      const [first, ...others] = models;
      // A group has members, and those that rest are asked where all do.
      const model = others.length > 0 ? fallback(others)(first!) : first!;
      return model(request, call);
    };
  }

  /** Those to ask, in order. Those that rest are passed over; where all do, they are asked after all, whatever they did before. */
  #arranged(place: Place): [Member, Place][] {
    const awake = this.#members.filter(({ choice }) => !choice.resting);
    const members = inOrder(awake.length > 0 ? awake : this.#members, this.#random);
    const guarded = awake.length > 0 && (place.guarded || this.#members.length > 1);
    return members.map((member, at) => {
      const hasty = place.hasty || at < members.length - 1;
      return [member, { ...place, guarded, hasty, price: member.price ?? place.price }];
    });
  }
}

/** Members with weights as they are drawn, then the others. */
function inOrder(members: readonly Member[], random: () => number): Member[] {
  const pot = members.filter(({ weight }) => weight !== undefined);
  const drawn: Member[] = [];
  while (pot.length > 0) {
    let left = random() * pot.reduce((sum, { weight = 0 }) => sum + weight, 0);
    const at = pot.findIndex(({ weight = 0 }) => (left -= weight) < 0);
    // Rounding may leave a crumb beyond the last.
    drawn.push(...pot.splice(at === -1 ? pot.length - 1 : at, 1));
  }
  return [...drawn, ...members.filter(({ weight }) => weight === undefined)];
}

/** A configured name: what it stands for, with its own settings. */
export class Configured implements Choice {
  readonly #choice: Choice;
  readonly #named: NamedModel;

  constructor(named: NamedModel, choice: Choice) {
    this.#named = named;
    this.#choice = choice;
  }

  get resting(): boolean {
    return this.#choice.resting;
  }

  all(place: Place): Drawn[] {
    return this.#choice.all(this.#within(place));
  }

  draw(place: Place): Drawn[] {
    return this.#choice.draw(this.#within(place));
  }

  open(place: Place): Ask {
    const { params, overrides } = this.#named;
    const inner = this.#choice.open(this.#within(place));
    if (!params && !overrides) return inner;
    return (run, request, call) => inner(run, withFields(request, params, overrides), call);
  }

  #within(place: Place): Place {
    const { price, timeouts, retries } = this.#named;
    return {
      ...place,
      price: price ?? place.price,
      timeouts: timeouts ? { ...timeouts, ...place.timeouts } : place.timeouts,
      retries: place.retries ?? retries,
    };
  }
}
