import type { TextFormat } from "../../model/index.ts";
import { findSum } from "./arithmetic.ts";
import { readFacts } from "./facts.ts";
import { fillFrom } from "./fill-schema.ts";
import type { Prompt, ToolResult } from "./read-prompt.ts";
import { counted, listed, quote, quoteLast, words } from "./words.ts";

/** Something the model can do with a message, if it looks like this. */
interface Skill {
  when: RegExp;
  say(match: RegExpExecArray, prompt: Prompt, model: string): string | undefined;
}

const introduction = (model: string): string =>
  `I am ${model === "offline" ? "the offline model" : `${model}, an offline model`}: no key, no network, and the same answer every time.`;

const invitation = "Ask me to add numbers or to repeat something, give me a tool to call, or a schema to fill.";

const times: Readonly<Record<string, number>> = { once: 1, twice: 2 };
const repeatsAtMost = 100;

// The first that fits and has something to say, says it.
const skills: readonly Skill[] = [
  {
    when: /^(?:please\s+)?(?:repeat|say|echo)(?:\s+after\s+me)?\s*:?\s+([^]+)$/i,
    say: ([, words = ""]) => {
      const [, phrase = words, count] = /^([^]*?)\s+(?:(once|twice|\d+)(?:\s+times)?)[.!]?$/i.exec(words) ?? [];
      const often = count === undefined ? 1 : (times[count.toLowerCase()] ?? Number(count));
      const plain = phrase.trim().replace(/^["“]([^"“”]*)["”][.!]?$/, "$1");
      return Array.from({ length: Math.max(1, Math.min(often, repeatsAtMost)) }, () => plain).join(" ");
    },
  },
  {
    when: /\b(?:what(?:'s|’s| is| are)|how much|calculate|compute|add|solve)\b|^[-\d(]|=\s*\??$/i,
    say: (_, prompt) => {
      const sum = findSum(prompt.text);
      return sum && `${sum.expression} = ${sum.value}`;
    },
  },
  {
    when: /\b(?:how many|count)\b[^:“"]*\bwords\b[^:“"]*[:“"]\s*([^]+?)[”"]?$/i,
    say: ([, sentence = ""]) => `${counted(words(sentence).length, "word")}.`,
  },
  {
    when: /\b(?:what(?:'s|’s| is)|do you (?:know|remember)) my name\b/i,
    say: (_, prompt) => {
      const name = [...prompt.earlier, prompt.text].flatMap((said) => readFacts(said).names).at(-1);
      return name ? `Your name is ${name}.` : "I do not know your name.";
    },
  },
  {
    when: /\bwhat\b.*\bI\b.*\b(?:say|said|ask|asked|tell|told)\b|\bmy (?:last|previous|first) (?:message|question)\b/i,
    say: (_, prompt) => {
      const said = /\bfirst\b/i.test(prompt.text) ? prompt.earlier[0] : prompt.earlier.at(-1);
      return said === undefined ? "This is your first message." : `You said: ${quoteLast(said)}`;
    },
  },
  {
    when: /\b(?:who|what) are you\b|\b(?:which|what) model\b/i,
    say: (_, prompt, model) => [introduction(model), told(prompt), invitation].filter(Boolean).join(" "),
  },
  {
    when: /^(?:hello|hi|hey|good (?:morning|day|evening)|greetings)\b[^?]{0,40}$/i,
    say: (_, prompt, model) => ["Hello!", introduction(model), told(prompt), invitation].filter(Boolean).join(" "),
  },
];

const told = ({ instructions }: Prompt): string =>
  instructions.length === 0 ? "" : `My instructions are ${listed(instructions.map((line) => quote(line, 80)))}.`;

const seen = ({ attachments }: Prompt): string => (attachments.length === 0 ? "" : `I see ${listed(attachments)}.`);

/** A short answer that shows what was read of the conversation. */
function answer(prompt: Prompt, model: string): string {
  const { orders } = prompt;
  if (orders.say !== undefined) return orders.say;
  if (orders.echo) return prompt.text;
  if (orders.long !== undefined) return filler(orders.long);
  if (prompt.results.length > 0) return quoteResults(prompt.results);
  return [seen(prompt), reply(prompt, model)].filter(Boolean).join(" ");
}

// Skills are for short messages: their patterns would be slow on long ones.
const longestUnderstood = 4_000;

function reply(prompt: Prompt, model: string): string {
  for (const { when, say } of prompt.text.length > longestUnderstood ? [] : skills) {
    const match = when.exec(prompt.text);
    const said = match && say(match, prompt, model);
    if (said) return said;
  }
  return mirror(prompt, model);
}

function mirror(prompt: Prompt, model: string): string {
  const length = counted(words(prompt.text).length, "word");
  const heard = prompt.text ? `You wrote ${length}: ${quoteLast(prompt.text)}` : "You wrote nothing.";
  const before = prompt.earlier.at(-1);
  const context =
    before === undefined ? `${introduction(model)} ${invitation}` : `Before that you wrote: ${quoteLast(before, 80)}`;
  return [heard, told(prompt), context].filter(Boolean).join(" ");
}

function quoteResults(results: readonly ToolResult[]): string {
  const [first] = results;
  if (results.length === 1 && first) return `The ${first.name} tool says: ${first.text}`;
  return ["The tools say:", ...results.map(({ name, text }) => `- ${name}: ${text}`)].join("\n");
}

const lyrics = "one voice sings a line and the other voice answers it so that the song goes to and fro".split(" ");
const filler = (count: number): string => Array.from({ length: count }, (_, index) => lyrics[index % lyrics.length]).join(" ");

/** The answer in the form that `text.format` asks for. */
export function formatted(format: TextFormat | null | undefined, prompt: Prompt, model: string): string {
  if (!format || format.type === "text" || prompt.orders.say !== undefined) return answer(prompt, model);
  if (format.type === "json_object") return JSON.stringify({ answer: answer(prompt, model) });
  const source = [prompt.text, ...prompt.results.map(({ text }) => text)].join("\n");
  return JSON.stringify(fillFrom(format.schema ?? { type: "object" }, readFacts(source), { invent: true }));
}
