import { connect, isIP, type OnReadOpts, type Socket, type TcpNetConnectOpts } from "node:net";
import type { AgentOptions } from "node:https";
import { connect as connectTls, createSecureContext, type ConnectionOptions, type SecureContext } from "node:tls";
import { bare } from "./http-client.ts";

/** How long a connection is silent before the system asks whether the other side is still there. */
const probeAfter = 60_000;

/**
 * Where sockets put what they read, one after the other: whoever is told makes a copy of what he keeps. Left to itself, a socket takes
 * new memory for each read, of this size, and gives back what it does not need.
 */
const room = Buffer.allocUnsafeSlow(64 * 1024);

/** Opens sockets to one server. */
export class SocketOpener {
  /** What says that the connection stands. With TLS that is when the server has proved its name: nothing is sent before. */
  readonly standing: "connect" | "secureConnect";
  readonly #place: TcpNetConnectOpts;
  readonly #agent: AgentOptions;
  /** Reading certificates takes a millisecond, and their memory, so it is done once for all connections to a server. */
  #context: SecureContext | undefined;
  /** The last TLS session, with which the next connection needs half of a handshake. */
  #session: Buffer | undefined;

  constructor({ protocol, hostname, port }: URL, agent: AgentOptions) {
    const isSecure = protocol === "https:";
    this.standing = isSecure ? "secureConnect" : "connect";
    // A timeout of the pool is no timeout of a socket, which would get a timer by it.
    this.#agent = { ...agent, timeout: undefined };
    this.#place = { host: bare(hostname), port: Number(port) || (isSecure ? 443 : 80) };
  }

  /** @param onData Is told what was read, which is written over when it returns. */
  open(onData: (bytes: Buffer) => void): Socket {
    const onread: OnReadOpts = {
      buffer: room,
      callback: (size) => {
        onData(room.subarray(0, size));
        return true;
      },
    };
    const socket = this.standing === "connect" ? connect({ ...this.#agent, ...this.#place, onread }) : this.#openSecure(onread);
    const { keepAlive = true, keepAliveMsecs = probeAfter } = this.#agent;
    return socket.setNoDelay(true).setKeepAlive(keepAlive, keepAliveMsecs);
  }

  #openSecure(onread: OnReadOpts): Socket {
    const { host = "" } = this.#place;
    // The types don't know that TLS reads into given memory too.
    const options: ConnectionOptions & { onread: OnReadOpts } = {
      secureContext: (this.#context ??= createSecureContext(this.#agent)),
      session: this.#session,
      // An address is no name that could be asked for.
      servername: isIP(host) ? "" : host,
      ...this.#agent,
      ...this.#place,
      ALPNProtocols: ["http/1.1"],
      onread,
    };
    return (
      connectTls(options)
        .on("session", (session) => (this.#session = session))
        // It may be the session that the server does not want any more.
        .once("error", () => (this.#session = undefined))
    );
  }
}
