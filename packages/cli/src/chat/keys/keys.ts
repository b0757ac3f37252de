/** What somebody pressed: a key by its name (`ctrl-a`, `alt-enter`, `up`), or text that was typed or pasted. */
export type Key = { type: "key"; name: string } | { type: "text"; text: string } | { type: "paste"; text: string };

const escape = "\u001B";
const pasteBegins = "[200~";
const pasteEnds = `${escape}[201~`;
const longestSequence = 64;

const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "ctrl-j",
  "\t": "tab",
  "\u007F": "backspace",
  "\b": "backspace",
};

// The final letter of a sequence, or the number before a tilde, in the words of the terminals that are around.
const letters: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "shift-tab",
};
const numbered: Readonly<Record<string, string>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "page-up",
  "6": "page-down",
  "7": "home",
  "8": "end",
};
const modifiers: Readonly<Record<string, string>> = {
  "2": "shift-",
  "3": "alt-",
  "4": "alt-",
  "5": "ctrl-",
  "6": "ctrl-",
  "7": "alt-",
};
const signs: Readonly<Record<string, string>> = { "9": "tab", "13": "enter", "27": "escape", "127": "backspace" };

/**
 * Makes keys of what a terminal sends, in whatever pieces it comes. An escape may be a key or the beginning of one: `flush` says that
 * nothing followed it.
 */
export class KeyDecoder {
  #held = "";
  #isPasting = false;

  /** Whether an unfinished sequence waits. */
  get isWaiting(): boolean {
    return this.#held !== "" && !this.#isPasting;
  }

  push(text: string): Key[] {
    this.#held += text;
    const keys: Key[] = [];
    for (let taken = this.#take(); taken; taken = this.#take()) if (taken !== "nothing") keys.push(taken);
    return keys;
  }

  flush(): Key[] {
    if (!this.isWaiting) return [];
    const isEscape = this.#held === escape;
    this.#held = "";
    return isEscape ? [key("escape")] : [];
  }

  /** The next key, `nothing` for what is none, or undefined where more must come first. */
  #take(): Key | "nothing" | undefined {
    if (this.#isPasting) return this.#takePaste();
    const [first] = this.#held;
    if (first === undefined) return undefined;
    if (first === escape) return this.#takeSequence();
    if (first < " " || first === "\u007F") return this.#cut(1, control(first));
    const text = /^[^\p{Cc}]+/u.exec(this.#held)?.[0] ?? first;
    return this.#cut(text.length, { type: "text", text });
  }

  #cut<T>(length: number, taken: T): T {
    this.#held = this.#held.slice(length);
    return taken;
  }

  #takePaste(): Key | undefined {
    const end = this.#held.indexOf(pasteEnds);
    if (end === -1) return undefined;
    this.#isPasting = false;
    const text = this.#held.slice(0, end).replaceAll(/\r\n?/g, "\n");
    return this.#cut(end + pasteEnds.length, { type: "paste", text });
  }

  #takeSequence(): Key | "nothing" | undefined {
    const rest = this.#held.slice(1);
    if (rest === "") return undefined;
    if (rest.startsWith(pasteBegins)) {
      this.#isPasting = true;
      return this.#cut(1 + pasteBegins.length, "nothing");
    }
    if (rest[0] === "[" || rest[0] === "O") return this.#takeCsi(rest);
    const [sign = ""] = rest;
    if (sign === escape) return this.#cut(1, key("escape"));
    return this.#cut(1 + sign.length, alt(sign));
  }

  #takeCsi(rest: string): Key | "nothing" | undefined {
    const [whole, parameters = "", final = ""] = /^[[O]([0-9;:<=>?]*)[ -/]*([@-~])/.exec(rest) ?? [];
    if (whole) return this.#cut(1 + whole.length, named(parameters, final));
    // What cannot become a sequence any more is dropped, so that it does not end up in the text.
    if (/^[[O][ -?]*$/.test(rest) && rest.length < longestSequence) return undefined;
    return this.#cut(Math.min(rest.length, longestSequence) + 1, "nothing");
  }
}

const key = (name: string): Key => ({ type: "key", name });

function control(sign: string): Key | "nothing" {
  const name = controls[sign];
  if (name) return key(name);
  const code = sign.charCodeAt(0);
  if (code === 0x1f) return key("ctrl-_");
  return code >= 1 && code <= 26 ? key(`ctrl-${String.fromCharCode(code + 96)}`) : "nothing";
}

function alt(sign: string): Key | "nothing" {
  const name = controls[sign];
  if (name) return key(`alt-${name}`);
  return sign > " " ? key(`alt-${sign}`) : "nothing";
}

function named(parameters: string, final: string): Key | "nothing" {
  const [number = "", modifier = ""] = parameters.split(";");
  const modified = modifiers[modifier] ?? "";
  // Some terminals spell every key that has a modifier as its number.
  if (final === "u") return unicodeKey(number, modified);
  const name = final === "~" ? numbered[number] : letters[final];
  return name ? key(`${modified}${name}`) : "nothing";
}

function unicodeKey(number: string, modified: string): Key | "nothing" {
  const code = Number(number);
  const name = signs[number] ?? (code > 32 && code < 0x11_00_00 ? String.fromCodePoint(code) : undefined);
  return name ? key(`${modified}${name}`) : "nothing";
}
