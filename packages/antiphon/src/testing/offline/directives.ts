/** A tool call that a prompt orders, with its arguments word for word where it gives them. */
export interface OrderedCall {
  name: string;
  arguments?: string;
}

/** What a prompt orders by its directives; `docs/offline.md` lists them. */
export interface Orders {
  say?: string;
  echo?: true;
  long?: number;
  refuse?: string;
  calls: OrderedCall[];
  /** Stops half-way through: the reason of `response.incomplete`. */
  stop?: string;
  /** Fails half-way through: the error's code. */
  fail?: string;
  /** Fails before the first event: the error's code. */
  error?: string;
  /** Milliseconds between two deltas. */
  slow?: number;
}

type Directive = (orders: Orders, value: string) => void;

const wordsAtMost = 100_000;
const count = (value: string): number | undefined => (/^\d+$/.test(value) ? Number(value) : undefined);

const directives: Readonly<Record<string, Directive>> = {
  say: (orders, value) => (orders.say = value),
  echo: (orders) => (orders.echo = true),
  long: (orders, value) => (orders.long = Math.min(count(value) ?? 200, wordsAtMost)),
  refuse: (orders, value) => (orders.refuse = value || "You asked me to refuse, so I refuse."),
  call: (orders, value) => {
    const [, name = "", given] = /^\s*([^\s{]+)\s*([^]*)$/.exec(value) ?? [];
    if (name) orders.calls.push(given ? { name, arguments: given } : { name });
  },
  stop: (orders, value) => (orders.stop = value || "max_output_tokens"),
  fail: (orders, value) => (orders.fail = value || "server_error"),
  truncate: (orders) => (orders.fail = "truncated"),
  error: (orders, value) => (orders.error = value || "server_error"),
  slow: (orders, value) => (orders.slow = count(value) ?? 50),
};

/** The names that stand between `[[` and `]]`. */
export const directiveNames: readonly string[] = Object.keys(directives);

const form = /\[\[(\w+)(?::([^]{0,4000}?))?\]\]/g;

/** Splits a message into what it orders and the words that remain; what is no directive stays in the words. */
export function readDirectives(message: string): { orders: Orders; text: string } {
  const orders: Orders = { calls: [] };
  const text = message.replace(form, (whole, name: string, value: string | undefined) => {
    if (!Object.hasOwn(directives, name)) return whole;
    directives[name]?.(orders, value ?? "");
    return "";
  });
  return { orders, text: text.trim() };
}
