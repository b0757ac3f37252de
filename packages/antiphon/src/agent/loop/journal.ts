import type { InputItem } from "../../model/index.ts";
import type { Journal } from "./run-options.ts";

/** Journals that tell calls apart which have the same id. */
const discerning = new WeakSet<Journal>();

/** A journal in which each call goes by a name that no other call has. */
export function namedCalls(journal: Journal, nameOf: (call_id: string) => string): Journal {
  const named: Journal = {
    claim: (call_id) => journal.claim(nameOf(call_id)),
    settle: (call_id, output) => journal.settle(nameOf(call_id), output),
  };
  discerning.add(named);
  return named;
}

/**
 * Returns the journal for a call of a step; `nth` is how many calls of the step before it have the same id. Some servers count
 * the calls of each response anew, or give parallel calls one id. The journal knows such a call by how often its id was used
 * before: `answered` lists the ids of earlier calls. A journal that already tells responses apart ignores them.
 */
export function ofStep(journal: Journal, answered: readonly string[], nth = 0): Journal {
  const before = discerning.has(journal) ? [] : answered;
  return namedCalls(journal, (call_id) => {
    const times = before.filter((id) => id === call_id).length + nth;
    return times === 0 ? call_id : `${call_id}#${times + 1}`;
  });
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
