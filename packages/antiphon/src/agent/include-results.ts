import type { Middleware } from "../core/respond.ts";
import { includesFor } from "../hosted/options.ts";
import type { ResolvedModel } from "./resolve-model.ts";

/** Other wires tell all that their tools did without being asked; to them the request would only be something that is lost. */
export const speaksResponses = ({ wire = "responses" }: ResolvedModel): boolean => wire === "responses";

/** Asks for what hosted tools leave out of an answer unless they are asked: the sources of a search, the output of code. */
export const including: Middleware = (next) => (request, call) => {
  const wanted = includesFor(request.tools ?? []);
  if (wanted.length === 0) return next(request, call);
  return next({ ...request, include: [...new Set([...(request.include ?? []), ...wanted])] }, call);
};
