import type { CreateResponse } from "../model/index.ts";

/** The request with the upstream's model, where it names none. */
export const withModel = (request: CreateResponse, model: string | undefined): CreateResponse =>
  request.model || model === undefined ? request : { ...request, model };
