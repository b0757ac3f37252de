import type { Context } from "../context.ts";
import { json, type Routes } from "../http/exchange.ts";
import type { Face } from "../http/faces.ts";
import type { Models, Visible } from "../models/models.ts";
import { AntiphonError, type ModelInfo } from "antiphon";
import { guarded } from "./guarded.ts";

const shown = ({ id, created, owner, provider }: ModelInfo): object => ({
  id,
  object: "model",
  created: created ?? 0,
  owned_by: owner ?? provider,
});

/** The models that a caller may use. */
export const models = (context: Context, face: Face, prefix: string): Routes => ({
  [`GET ${prefix}/models`]: guarded(context, face, async (_, __, caller) => {
    const all = await context.models.list();
    const data = all.filter(({ id }) => context.gatekeeper.allows(caller, id)).map(shown);
    return json(200, { object: "list", data });
  }),
  [`GET ${prefix}/models/:id`]: guarded(context, face, async (_, { id = "" }, caller) => {
    const visible = (name: string): boolean => context.gatekeeper.allows(caller, name);
    if (!visible(id)) throw notFound(id);
    const all = await context.models.list();
    return json(200, shown(all.find((model) => model.id === id) ?? unlisted(context.models, id, visible)));
  }),
});

/** A model that no list has, such as any that a pattern stands for. */
function unlisted(all: Models, id: string, visible: Visible): ModelInfo {
  if (id === "") throw notFound(id);
  const { name, provider } = all.resolve(id, visible);
  return { id: name, provider, kind: "chat" };
}

const notFound = (id: string): AntiphonError =>
  new AntiphonError("INVALID_MODEL", `Unknown model ${id.slice(0, 100)}.`, { status: 404, param: "model" });
