import type { Tool } from "../../model/index.ts";
import { ToolNames } from "../shared/tool-names.ts";

/** The tools of a request under names that the wire takes. */
export const toolNames = (tools: readonly Tool[] | null | undefined): ToolNames =>
  new ToolNames(tools, { allowed: /[a-zA-Z0-9_-]/, maxLength: 128 });
