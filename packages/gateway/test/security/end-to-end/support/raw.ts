import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection without any manners: says what it is told to, byte for byte. */
export async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Whoever is refused may find the line cut while it still talks.
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** All that is heard until the other side hangs up. */
export async function hear(socket: Socket): Promise<string> {
  let heard = "";
  socket.on("data", (piece: Buffer) => (heard += piece.toString("latin1")));
  if (!socket.closed) await once(socket, "close");
  return heard;
}

/** Says something, and gives all that is heard until the other side hangs up. */
export async function say(url: string, ...pieces: (string | Uint8Array)[]): Promise<string> {
  const socket = await dial(url);
  const heard = hear(socket);
  for (const piece of pieces) socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
  return heard;
}

/** The lines of a request, its body included. */
export const lines = (...said: string[]): string => `${said.join("\r\n")}\r\n\r\n`;

export const statusesIn = (heard: string): number[] =>
  [...heard.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
