import type { InputItem } from "../../model/index.ts";
import type { Journal } from "./run-options.ts";

/**
 * A journal for the calls of one step. Some servers count the calls of each response anew, so a call whose id stood for others before,
 * which are answered, goes by another name.
 */
export function ofStep(journal: Journal, answered: readonly string[]): Journal {
  const key = (call_id: string): string => {
    const times = answered.filter((id) => id === call_id).length;
    return times === 0 ? call_id : `${call_id}#${times + 1}`;
  };
  return {
    claim: (call_id) => journal.claim(key(call_id)),
    settle: (call_id, output) => journal.settle(key(call_id), output),
  };
}

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
