import { expect, test } from "vitest";
import { arms } from "./support/reducer-arms.ts";
import { readSpecification } from "./support/specification.ts";

test("the reducer's table has every event of the specification", () => {
  const { components } = readSpecification() as {
    components: { schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }> };
  };
  const events = Object.values(components.schemas).flatMap(({ properties }) =>
    properties?.["sequence_number"] ? (properties["type"]?.enum ?? []) : [],
  );
  expect(events.length).toBeGreaterThan(20);
  expect(events.filter((type) => !arms.some((arm) => arm.type === type))).toEqual([]);
});
