import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { Table } from "../../src/runs/table.ts";

const id = fc.constantFrom("a", "b", "c", "__proto__");
const step = fc.oneof(fc.record({ set: id, value: fc.nat(9) }), fc.record({ delete: id }));

test("a table holds what a map would, and in its order", () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const table = new Table<{ value: number }>();
      const map = new Map<string, { value: number }>();
      for (const one of steps) {
        if ("delete" in one) {
          table.delete(one.delete);
          map.delete(one.delete);
        } else {
          const value = { value: one.value };
          table.set(one.set, value);
          map.set(one.set, value);
        }
        expect(table.entries()).toEqual([...map]);
        expect(table.values()).toEqual([...map.values()]);
        expect([table.size, table.get("a"), table.get("d")]).toEqual([map.size, map.get("a"), undefined]);
      }
    }),
    { numRuns: runs(300, 20_000) },
  ));
