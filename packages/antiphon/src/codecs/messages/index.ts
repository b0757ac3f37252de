export { messagesCodec } from "./client.ts";
export type { HostedVersions, MessagesDialect, ModelTraits, VersionTraits } from "./dialect.ts";
export { messagesServer } from "./server.ts";
