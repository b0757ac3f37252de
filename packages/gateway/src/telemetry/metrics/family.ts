export type MetricKind = "counter" | "gauge" | "histogram";

export interface FamilyOptions {
  name: string;
  kind: MetricKind;
  help: string;
  labels?: readonly string[];
  /** How many values of one label are told apart; those that come later are counted together, as `other`. */
  maxValues?: number;
}

const otherValue = "other";
const longestValue = 200;

/** A step on the way from label values to the cell that counts them. */
type Branch<Cell> = Map<string, Branch<Cell> | Leaf<Cell>>;

interface Leaf<Cell> {
  values: readonly string[];
  cell: Cell;
}

/**
 * All series of one metric. A series is found by one map lookup a label, so that counting builds no strings; and the values of a label
 * are bounded, since clients invent some of them (names of models) and every series stays in memory for good.
 */
export class Family<Cell> {
  readonly name: string;
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
  readonly #maxValues: number;
  readonly #create: () => Cell;
  readonly #root: Branch<Cell> = new Map();
  /** The one series of a metric without labels. */
  readonly #only: Leaf<Cell> | undefined;
  /** By label, the values that have series of their own. */
  readonly #known: readonly Set<string>[];
  readonly #leaves: Leaf<Cell>[] = [];

  constructor({ name, kind, help, labels = [], maxValues = 100 }: FamilyOptions, create: () => Cell) {
    this.name = name;
    this.kind = kind;
    this.help = help;
    this.labels = labels;
    this.#maxValues = maxValues;
    this.#create = create;
    this.#known = labels.map(() => new Set());
    this.#only = labels.length === 0 ? { values: [], cell: create() } : undefined;
    if (this.#only) this.#leaves.push(this.#only);
  }

  /** The series of these label values, in the order of the labels. */
  of(...values: readonly string[]): Cell {
    let step: Branch<Cell> | Leaf<Cell> | undefined = this.#only ?? this.#root;
    for (let at = 0; at < values.length && step instanceof Map; at += 1) step = step.get(values[at]!);
    if (!step || step instanceof Map || values.length !== this.labels.length) return this.#make(values);
    return step.cell;
  }

  /** Every series that there is. */
  series(): readonly Readonly<Leaf<Cell>>[] {
    return this.#leaves;
  }

  #make(given: readonly string[]): Cell {
    if (given.length !== this.labels.length)
      throw new TypeError(`The metric ${this.name} requires ${this.labels.length} labels.`);
    const values = given.map((value, at) => this.#bounded(value, at));
    const branch = this.#reach(values.slice(0, -1));
    const last = values.at(-1)!;
    const there = branch.get(last);
    if (there && !(there instanceof Map)) return there.cell;
    const leaf: Leaf<Cell> = { values, cell: this.#create() };
    branch.set(last, leaf);
    this.#leaves.push(leaf);
    return leaf.cell;
  }

  #bounded(value: string, at: number): string {
    const known = this.#known[at]!;
    if (known.has(value)) return value;
    if (known.size >= this.#maxValues || value.length > longestValue) return otherValue;
    known.add(value);
    return value;
  }

  #reach(values: readonly string[]): Branch<Cell> {
    let branch = this.#root;
    for (const value of values) {
      const next = branch.get(value);
      const there: Branch<Cell> = next instanceof Map ? next : new Map();
      branch.set(value, there);
      branch = there;
    }
    return branch;
  }
}
