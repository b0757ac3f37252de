export { fileJournal } from "./file-journal.ts";
export { fileSessions } from "./file-sessions.ts";
export { fileTape } from "./file-tape.ts";
export { createHttpTransport, defaultTransport } from "./http-transport.ts";
export { createSocketTransport } from "./socket-transport.ts";
export { createWebSocket, type NodeWebSocketOptions } from "./web-socket.ts";
