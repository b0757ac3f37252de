/** The bounds of a gateway; everything has a default. */
export interface Limits {
  /** The largest body that is read, in bytes, unpacked. */
  maxBodyBytes: number;
  /** How long a client may take to send its headers and its body, in milliseconds. */
  bodyTimeout: number;
  /** How long a client may take nothing of its answer, in milliseconds, before it is cut off. */
  stallTimeout: number;
  /** How long a stream may be silent before it tells its client that it is there, in milliseconds, and up to twice that; `0` for ever. */
  heartbeat: number;
  /** The longest chain of responses that is followed. */
  maxChain: number;
  /** The most items that a model is asked with, those of the chain or conversation included. */
  maxItems: number;
  /** How far a reader may fall behind a running response, in bytes, before it is cut off. */
  maxBacklogBytes: number;
  /** Background responses that run at the same time in this process; the others wait. */
  maxBackground: number;
  /** Open WebSockets; with `0` there are none, and clients are told to use plain HTTP. */
  maxSockets: number;
  /** How long a WebSocket may stay, in milliseconds. */
  socketLifetime: number;
}

const minute = 60_000;

export const defaultLimits: Readonly<Limits> = {
  maxBodyBytes: 32 * 1024 * 1024,
  bodyTimeout: minute,
  stallTimeout: minute,
  heartbeat: 15_000,
  maxChain: 1_000,
  maxItems: 100_000,
  maxBacklogBytes: 8 * 1024 * 1024,
  maxBackground: 100,
  maxSockets: 10_000,
  socketLifetime: 60 * minute,
};
