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

/** The last step of a path, without what file systems refuse: a model chose the name. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .replaceAll(/[\p{Cc}<>:"|?*]/gu, "_")
    .replace(/^\.+/, "")
    .slice(-120)
    .trim();
  return plain === "" ? "file" : plain;
}
