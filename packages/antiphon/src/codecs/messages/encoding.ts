import type { Loss } from "../../core/loss.ts";
import type { CreateResponse } from "../../model/index.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { traitsOf, type MessagesDialect, type ModelTraits } from "./dialect.ts";
import { toolNames } from "./tool-names.ts";

/** What every part of the encoder knows of the request that it encodes. */
export interface Encoding {
  readonly request: CreateResponse;
  readonly dialect: MessagesDialect;
  readonly traits: ModelTraits;
  readonly names: ToolNames;
  readonly losses: Loss[];
  /** Declares that something is not said as it was asked. */
  lose(path: string, reason: string): void;
}

/** A fresh encoding of a request. */
export function newEncoding(request: CreateResponse, dialect: MessagesDialect): Encoding {
  const losses: Loss[] = [];
  return {
    request,
    dialect,
    traits: traitsOf(request.model, dialect),
    names: toolNames(request),
    losses,
    lose: (path, reason) => void losses.push({ path, reason }),
  };
}
