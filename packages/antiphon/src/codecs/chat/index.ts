export { chatCodec } from "./client.ts";
export { openaiDialect, type ChatDialect, type Replay, type ThinkingField } from "./dialect.ts";
export { chatServer } from "./server.ts";
