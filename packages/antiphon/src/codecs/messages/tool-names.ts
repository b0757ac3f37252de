import type { CreateResponse } from "../../model/index.ts";
import { allTools } from "../shared/all-tools.ts";
import { ToolNames } from "../shared/tool-names.ts";

/** The tools of a request under names that the wire takes. */
export const toolNames = (request: CreateResponse): ToolNames =>
  new ToolNames(allTools(request), { allowed: /[a-zA-Z0-9_-]/, maxLength: 128 });
