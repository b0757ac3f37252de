export { fileTape } from "./file-tape.ts";
export { createHttpTransport, defaultTransport } from "./http-transport.ts";
