export { geminiCodec } from "./client.ts";
export { vertexDialect, type GeminiDialect, type ModelFamily, type ModelTraits } from "./dialect.ts";
export { geminiRoute, type GeminiRoute } from "./route.ts";
export { geminiServer } from "./server.ts";
