export { responsesCodec } from "./client.ts";
export { renamedEvents } from "./decode-stream.ts";
export type { ResponsesDialect } from "./dialect.ts";
export { jsonIn, responseJson, withJson, type ResponseJson } from "./event-json.ts";
export { responsesServer, type ServerDialect } from "./server.ts";
