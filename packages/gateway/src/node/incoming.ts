import { IncomingMessage } from "node:http";

/**
 * A request to Node's server. Many clients offer HTTP/2 along with a plain request (`Upgrade: h2c`), which Node takes for an upgrade as
 * soon as somebody listens for those. WebSockets are the only ones here: what else is offered is not taken up.
 */
export class Incoming extends IncomingMessage {
  // Node's parser writes it before the headers are there, and reads it after; a private field would not be there yet, either.
  declare offered: boolean | null;

  get upgrade(): boolean {
    return this.offered === true && (this.method === "CONNECT" || this.headers.upgrade?.toLowerCase() === "websocket");
  }

  set upgrade(offered: boolean | null) {
    this.offered = offered;
  }
}
