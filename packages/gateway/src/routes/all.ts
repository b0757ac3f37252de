import type { GatewayConfig } from "../config.ts";
import type { Context } from "../context.ts";
import type { Routes } from "../http/exchange.ts";
import { faces, type Face } from "../http/faces.ts";
import { countTokens, histories } from "./histories.ts";
import { conversations } from "./conversations.ts";
import { create } from "./create.ts";
import { embeddings } from "./embeddings.ts";
import { guarded } from "./guarded.ts";
import { models } from "./models.ts";
import { operations } from "./operations.ts";
import { responses } from "./responses.ts";

/** What both dialects of the Responses wire have. */
const below = (context: Context, face: Face, prefix: string): Routes => ({
  ...responses(context, face, prefix),
  ...histories(context, face, prefix),
  ...conversations(context, face, prefix),
  ...models(context, face, prefix),
  ...embeddings(context, face, prefix),
});

/** Every route of a gateway. */
export const allRoutes = (context: Context, { telemetry }: GatewayConfig): Routes => ({
  ...operations(context, { metrics: context.metrics, access: typeof telemetry?.metrics === "object" ? telemetry.metrics : {} }),
  ...below(context, faces.strict, "/v1"),
  ...below(context, faces.openai, "/openai/v1"),
  ...creating(context, faces.chat, "POST /v1/chat/completions"),
  ...creating(context, faces.chat, "POST /openai/v1/chat/completions"),
  ...creating(context, faces.messages, "POST /v1/messages"),
  ...countTokens(context, faces.messages, "POST /v1/messages/count_tokens"),
});

const creating = (context: Context, face: Face, route: string): Routes => ({
  [route]: guarded(context, face, create(context, face, route)),
});
