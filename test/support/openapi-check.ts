import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** Checks a value against a schema, and returns the first fault or `undefined`. */
export type OpenApiCheck<Name extends string> = (schema: Name, value: unknown) => string | undefined;

/** Returns a check against schemas of an OpenAPI document. `pointers` says where in the document each schema is. */
export function openApiCheck<Name extends string>(
  document: object,
  pointers: Readonly<Record<Name, string>>,
): OpenApiCheck<Name> {
  const ajv = new Ajv2020({ strict: false, allErrors: false, discriminator: false });
  ajv.addSchema(document, "document");
  const compiled = new Map<Name, ValidateFunction>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? ajv.compile({ $ref: `document#${pointers[schema]}` });
    compiled.set(schema, check);
    return check(value) ? undefined : `${JSON.stringify(check.errors?.[0])} in ${JSON.stringify(value).slice(0, 400)}`;
  };
}
