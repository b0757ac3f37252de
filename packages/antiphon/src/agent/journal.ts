import type { InputItem } from "../model/index.ts";
import type { Journal } from "./run-options.ts";

/**
 * A journal that lives as long as the process. It belongs to one run and whatever resumes it.
 *
 * @example
 * const stream = run(respond, request, { tools, journal: memoryJournal() });
 */
export function memoryJournal(): Journal {
  const outputs = new Map<string, InputItem | undefined>();
  return {
    claim: async (call_id) => {
      const output = outputs.get(call_id);
      if (output) return { output };
      if (outputs.has(call_id)) return "taken";
      outputs.set(call_id, undefined);
      return "run";
    },
    settle: async (call_id, output) => {
      outputs.set(call_id, output);
    },
  };
}
