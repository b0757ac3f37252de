import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { stringIn } from "./call-pairs.ts";
import type { Trust } from "./lint-item.ts";
import { Linter, type Linted, type LintOptions } from "./lint.ts";
import type { Entry, Target } from "./log-records.ts";
import { isOwn } from "./ownership.ts";
import type { Distrust } from "./plan.ts";

/** What of a log is sent, to whom, and with how much care. */
export interface Basis {
  target: Target;
  /** Items before the first entry that is sent. */
  lead: readonly InputItem[];
  /** The first entry that is sent. */
  from: number;
  /** The calls in what the target has that are not answered there; nothing where it has nothing. */
  chained?: readonly InputItem[];
  distrust: Distrust;
}

/** The end of a log as it can be sent; it grows with the log. */
class Replay {
  readonly basis: Basis;
  readonly lint: Pick<LintOptions, "target" | "stored" | "chained">;
  readonly #entries: readonly Entry[];
  readonly #linter: Linter;
  #at: number;

  constructor(entries: readonly Entry[], basis: Basis) {
    const { target, chained, lead, from } = basis;
    this.basis = basis;
    this.#entries = entries;
    this.#at = from;
    this.lint = { target, stored: new StoredReasoning(entries, basis), ...(chained && { chained }) };
    this.#linter = new Linter(this.lint);
    for (const item of lead) this.#linter.push(item);
  }

  linted(inOrder: boolean): Linted {
    const { lead, from, distrust } = this.basis;
    for (; this.#at < this.#entries.length; this.#at += 1) {
      const { item, origin } = this.#entries[this.#at]!;
      this.#linter.push(item, origin, trustIn(this.#at, distrust));
    }
    const before = lead.length;
    const originAt = (index: number) => (index < before ? undefined : this.#entries[from + index - before]?.origin);
    return this.#linter.linted({ originAt, inOrder });
  }
}

const trustIn = (at: number, { items = 0, blobs = 0 }: Distrust): Trust =>
  at < items ? "plain" : at < blobs ? "no-blobs" : "all";

/** The ids of the reasoning that the target keeps. Most reasoning brings a blob along, so that nobody asks: read when somebody does. */
class StoredReasoning {
  readonly #entries: readonly Entry[];
  readonly #target: Target;
  readonly #ids = new Set<string>();
  #at: number;

  constructor(entries: readonly Entry[], { target, from, distrust }: Basis) {
    this.#entries = entries;
    this.#target = target;
    this.#at = Math.max(from, distrust.chains ?? 0);
  }

  has(id: string): boolean {
    for (; this.#at < this.#entries.length; this.#at += 1) {
      const { item, origin } = this.#entries[this.#at]!;
      const kept = origin?.stored && isOwn(origin, this.#target) && inputType(item) === "reasoning";
      const known = kept ? stringIn(item, "id") : undefined;
      if (known !== undefined) this.#ids.add(known);
    }
    return this.#ids.has(id);
  }
}

// The entries of a log only ever grow, so what was made of them last time holds; a log that takes something back has a new list.
const replays = new WeakMap<readonly Entry[], Replay>();

/**
 * What is sent of a log's entries; `inOrder` says that lead and entries are known to be. Costs what is new since it was last asked for
 * on the same basis, and a copy of the list.
 */
export function replay(entries: readonly Entry[], basis: Basis, inOrder: boolean): Linted & Pick<Replay, "lint"> {
  const known = replays.get(entries);
  const made = known && isSame(known.basis, basis) ? known : new Replay(entries, basis);
  // What is chained to changes with every response.
  if (!basis.chained) replays.set(entries, made);
  return { ...made.linted(inOrder), lint: made.lint };
}

function isSame(a: Basis, b: Basis): boolean {
  const isSameLead = a.lead.length === b.lead.length && a.lead.every((item, index) => item === b.lead[index]);
  const isUnchained = !a.chained && !b.chained;
  return a.from === b.from && isSameLead && isUnchained && isSameCare(a.distrust, b.distrust) && isSameTarget(a.target, b.target);
}

const isSameCare = (a: Distrust, b: Distrust): boolean => a.chains === b.chains && a.blobs === b.blobs && a.items === b.items;

/** Whether two targets take the same items. */
const isSameTarget = (a: Target, b: Target): boolean =>
  isOwn(a, b) && a.stores === b.stores && a.encrypts === b.encrypts && a.translates === b.translates;
