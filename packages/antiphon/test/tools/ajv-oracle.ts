import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../src/model/index.ts";

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
});

/** Whether a value fits a schema, as Ajv sees it. */
export function fitsByAjv(schema: JsonSchema, value: unknown): boolean {
  try {
    return ajv.validate(schema, value);
  } finally {
    ajv.removeSchema(schema);
  }
}

/** How a property with Ajv in it is run. Shrinking would compile many thousand schemas; the seed leads back to the case. */
export const few = (numRuns: number): { numRuns: number; endOnFailure: boolean } => ({ numRuns, endOnFailure: true });
