const allowed = /^[a-zA-Z0-9_-]+$/;
const marker = "antiphon_";

/** A call id that the wire takes: one with other characters is spelled out, so that `fromWireId` gives it back. */
export function toWireId(id: string): string {
  if (allowed.test(id) && !id.startsWith(marker)) return id;
  return marker + id.replace(/[^a-zA-Z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The call id that a wire id stands for. */
export const fromWireId = (id: string): string =>
  id.startsWith(marker)
    ? id.slice(marker.length).replace(/_([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
    : id;

/** Gives each call of a conversation an id of its own: the wire refuses one that was used before. */
export class UniqueIds {
  readonly #used = new Set<string>();

  take(id: string): string {
    const wireId = toWireId(id);
    let free = wireId;
    for (let count = 2; this.#used.has(free); count += 1) free = `${wireId}_${count}`;
    this.#used.add(free);
    return free;
  }
}
