/**
 * The least that reading this event stream takes: lines, of which those that begin with `data:` are JSON. It knows no comments, no
 * `\r`, no data over several lines: a floor, not a parser. Pieces of a long line are joined once, so its cost is linear.
 */
export class EventLines {
  #begun = [];
  #onEvent;

  constructor(onEvent) {
    this.#onEvent = onEvent;
  }

  push(text) {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#line(text.slice(start, end));
      start = end + 1;
    }
    if (start < text.length) this.#begun.push(start === 0 ? text : text.slice(start));
  }

  #line(end) {
    const line = this.#begun.length > 0 ? this.#begun.join("") + end : end;
    if (this.#begun.length > 0) this.#begun = [];
    if (line.startsWith("data: ")) this.#onEvent(JSON.parse(line.slice(6)));
  }
}
