import { findSum } from "./arithmetic.ts";
import { hashNumber } from "../../core/hash.ts";
import { words } from "./words.ts";

/** What a text offers to whoever has to fill in a form. */
export interface Facts {
  text: string;
  /** Decides what is made up. */
  seed: number;
  numbers: number[];
  quoted: string[];
  urls: string[];
  emails: string[];
  dates: string[];
  places: string[];
  names: string[];
  sums: string[];
}

const all = (text: string, pattern: RegExp): string[] => Array.from(text.matchAll(pattern), (match) => match[1] ?? match[0]);

// Some of the patterns below take quadratic time on long unbroken runs.
const searched = 4_000;

/** Finds the facts in the head of a text by their looks. */
export function readFacts(whole: string): Facts {
  const text = whole.slice(0, searched);
  const sum = findSum(text);
  const quoted = all(text, /["“]([^"“”]+)["”]/g);
  const rest = text.replace(/["“][^"“”]+["”]|https?:\/\/\S+|\S+@\S+|\b\d{4}-\d\d-\d\d\b/g, " ");
  return {
    text: whole.trim(),
    seed: hashNumber(whole),
    numbers: all(rest, /(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g).map(Number),
    quoted,
    urls: all(text, /https?:\/\/[^\s"'<>)\]]+/g),
    emails: all(text, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g),
    dates: all(text, /\b\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?\b/g),
    places: placesIn(rest),
    names: all(rest, named()),
    sums: sum ? [sum.expression] : [],
  };
}

const proper = "\\p{Lu}[\\p{L}'’.-]*[\\p{L}](?:\\s\\p{Lu}[\\p{L}'’-]*)*";
// Made when they are needed: Unicode's classes take a while to compile.
const named = (): RegExp => new RegExp(`(?:[Mm]y name is|\\bI am|\\bI[’']m|[Cc]all me|\\bnamed|\\bcalled)\\s+(${proper})`, "gu");
const placeList = (): RegExp =>
  new RegExp(`\\b(?:in|at|near|for|from|to|into|of|and)\\s+(${proper}(?:(?:,\\s*|,?\\s+(?:and|or)\\s+)${proper})*)`, "gu");
const plainPlace = (): RegExp => /\bin\s+(\p{Ll}{3,}(?:\s\p{Ll}{3,}(?=[?.!,]|$))?)/gu;
const notOfPlace = /\s(?:today|tonight|tomorrow|now|please|like|right)$/;
const notPlaces: ReadonlySet<string> = new Set(
  (
    "january february march april may june july august september october november december " +
    "monday tuesday wednesday thursday friday saturday sunday celsius fahrenheit kelvin json english " +
    "the this that these those its his her our your their one two three all any total short general detail order french german"
  ).split(" "),
);

/** Names after `in`, `for`, `to`, …; `Oslo and Rome` are two, `Paris, France` is one. */
function placesIn(text: string): string[] {
  const lists = all(text, placeList()).flatMap((list) =>
    /\s(?:and|or)\s/.test(list) ? list.split(/,\s*(?:and\s+)?|\s+(?:and|or)\s+/) : [list],
  );
  const found = lists.length > 0 ? lists : all(text, plainPlace()).map((name) => name.replace(notOfPlace, ""));
  return [...new Set(found.filter((name) => name && !notPlaces.has(name.toLowerCase())))];
}

type FactKind = "places" | "urls" | "emails" | "dates" | "sums" | "names" | "quoted";

// The first row that shares a word with a property's name says where its value comes from.
const sources: readonly (readonly [FactKind, readonly string[]])[] = [
  ["places", ["city", "location", "place", "town", "country", "region", "where", "destination", "origin", "language"]],
  ["urls", ["url", "uri", "link", "website", "href"]],
  ["emails", ["email", "mail", "recipient"]],
  ["dates", ["date", "day", "when", "since", "until", "start", "end"]],
  ["sums", ["expression", "formula", "equation", "calculation", "sum"]],
  ["names", ["name", "person", "user", "author", "who"]],
];
const wantsText: readonly string[] = [
  "query",
  "question",
  "search",
  "prompt",
  "message",
  "text",
  "content",
  "input",
  "topic",
  "task",
];

const sourceOf = (asked: readonly string[]): FactKind =>
  sources.find(([, names]) => names.some((word) => asked.includes(word)))?.[0] ?? "quoted";

/** The strings in a text that a property of this name may ask for, the likeliest first. */
export function stringsFor(name: string, facts: Facts): string[] {
  const asked = words(name);
  const known = facts[sourceOf(asked)];
  return known.length === 0 && facts.text && wantsText.some((word) => asked.includes(word)) ? [facts.text] : known;
}

/** Whether a property of this name asks for such facts. */
export const asksFor = (kind: FactKind, name: string): boolean => sourceOf(words(name)) === kind;

/** Whether a word or phrase stands in the text, whatever its case. */
export function mentions(facts: Facts, phrase: string): boolean {
  const text = facts.text.toLowerCase();
  const at = phrase ? text.indexOf(phrase.toLowerCase()) : -1;
  return at !== -1 && !/[\p{L}\p{N}]/u.test((text[at - 1] ?? "") + (text[at + phrase.length] ?? ""));
}
