/** The name of a place in a document: `JSON.stringify(path)`, so that no letter of a key can be taken for a separator. */
const placeOf = (path: readonly string[]): string => JSON.stringify(path);

/**
 * The line of every key of a TOML document that is known to be well formed; elements of arrays are named by their number.
 * Parsers of TOML give values and forget where these stood.
 */
export function positionsOf(toml: string): (path: readonly string[]) => number | undefined {
  const scan = new Scan(toml);
  scan.document();
  // A table that is only implied, such as `a` in `[a.b]`, stands where the first key below it stands.
  return (path) => {
    const exact = scan.lines.get(placeOf(path));
    if (exact !== undefined) return exact;
    const below = placeOf(path).slice(0, -1);
    for (const [place, line] of scan.lines) if (place.startsWith(`${below},`)) return line;
    return undefined;
  };
}

const bareKey = /[\w-]+/y;
const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
/** Strings of every kind; the longer quotes first. */
const text = /"""(?:\\[^]|[^\\])*?"""+|'''[^]*?'''+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
const scalar = /[^,\]}\n#]*/y;

class Scan {
  readonly lines = new Map<string, number>();
  readonly #toml: string;
  /** How many elements each array of tables has so far. */
  readonly #counts = new Map<string, number>();
  #at = 0;
  #line = 1;

  constructor(toml: string) {
    this.#toml = toml;
  }

  document(): void {
    let table: string[] = [];
    for (this.#take(blank); this.#at < this.#toml.length; this.#take(blank)) {
      const before = this.#at;
      if (this.#toml[this.#at] === "[") table = this.#header();
      else this.#pair(table);
      // Whatever is not understood is stepped over: a line that cannot be told is better than none at all.
      if (this.#at === before) this.#skip(1);
    }
  }

  #header(): string[] {
    const isArray = this.#toml.startsWith("[[", this.#at);
    this.#skip(isArray ? 2 : 1);
    const line = this.#line;
    const path = this.#placed(this.#path(), isArray);
    this.#keep(path, line);
    this.#skip(isArray ? 2 : 1);
    return path;
  }

  /** Below an array of tables, the last table of it is meant. */
  #placed(names: readonly string[], isArray: boolean): string[] {
    const path: string[] = [];
    for (const [index, name] of names.entries()) {
      path.push(name);
      const place = placeOf(path);
      const count = this.#counts.get(place) ?? 0;
      const begins = isArray && index === names.length - 1;
      if (begins) this.#counts.set(place, count + 1);
      if (begins || count > 0) path.push(String(begins ? count : count - 1));
    }
    return path;
  }

  #pair(table: readonly string[]): void {
    const line = this.#line;
    const path = [...table, ...this.#path()];
    this.#keep(path, line);
    this.#take(blank);
    this.#skip(1);
    this.#value(path);
  }

  #value(path: readonly string[]): void {
    this.#take(blank);
    const opening = this.#toml[this.#at];
    if (opening === "[") this.#list("]", (index) => this.#value([...path, String(index)]));
    else if (opening === "{") this.#list("}", () => this.#pair(path));
    else if (!this.#take(text)) this.#take(scalar);
  }

  #list(closing: string, entry: (index: number) => void): void {
    this.#skip(1);
    for (let index = 0; this.#at < this.#toml.length; index += 1) {
      this.#take(blank);
      if (this.#toml[this.#at] === closing) break;
      const before = this.#at;
      entry(index);
      this.#take(blank);
      if (this.#toml[this.#at] === "," || this.#at === before) this.#skip(1);
    }
    this.#skip(1);
  }

  #path(): string[] {
    const names: string[] = [];
    do {
      this.#take(blank);
      const quoted = this.#take(text);
      names.push(quoted ? unquoted(quoted) : this.#take(bareKey));
      this.#take(blank);
    } while (this.#toml[this.#at] === "." && this.#skip(1));
    return names;
  }

  #keep(path: readonly string[], line: number): void {
    const place = placeOf(path);
    if (!this.lines.has(place)) this.lines.set(place, line);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#toml) ?? [];
    this.#skip(found.length);
    return found;
  }

  #skip(count: number): true {
    for (const end = this.#at + count; this.#at < end; this.#at += 1) if (this.#toml[this.#at] === "\n") this.#line += 1;
    return true;
  }
}

function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1);
  try {
    return String(JSON.parse(key));
  } catch {
    return key.slice(1, -1);
  }
}
