/** Names for files that go into one folder: safe, each once, and with an ending. */
export class FileNames {
  readonly #taken = new Set<string>();

  /** A name like the wanted one; what has only a kind is numbered: `image-1.png`. */
  take(wanted: string, named: boolean, extension: string): string {
    const safe = safeName(wanted);
    const [stem, ending] = named && /.\.[^.]+$/.test(safe) ? splitName(safe) : [safe, `.${extension}`];
    for (let count = named ? 0 : 1; ; count += 1) {
      const name = `${stem}${count === 0 ? "" : `-${named ? count + 1 : count}`}${ending}`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

function splitName(name: string): [string, string] {
  const dot = name.lastIndexOf(".");
  return [name.slice(0, dot), name.slice(dot)];
}

// Windows takes these for devices, whatever ending they have.
const device = /^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i;

/** The last step of a path, without what file systems refuse or hide: a model chose the name. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  // Of the invisible characters some turn a name around, and half a character is none.
  const visible = last.normalize("NFC").replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, "_");
  const plain = shortened(visible)
    .replace(/^[.\s]+/, "")
    .replace(/[.\s]+$/, "");
  return plain === "" ? "file" : plain.replace(device, "_$&");
}

const longest = 200;
const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

/** File systems count bytes; the end of a name says more than its beginning. */
function shortened(name: string): string {
  const characters = Array.from(name).slice(-longest);
  while (bytesIn(characters.join("")) > longest) characters.shift();
  return characters.join("");
}
