import { AntiphonError } from "../core/error.ts";
import { isObject } from "../model/guards.ts";
import type { JsonSchema } from "../model/index.ts";

/** What is wrong with a value, as a schema library tells it. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema library makes of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A schema of any library that follows Standard Schema: Zod, Valibot, ArkType and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Of Standard JSON Schema: what the schema takes, and what it gives. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

/** The type of what a schema gives. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Whether something is a schema of a library, not plain JSON Schema. Those of some libraries are functions. */
export const isStandardSchema = (value: unknown): value is StandardSchema =>
  (typeof value === "function" || isObject(value)) && "~standard" in value;

/** The JSON Schema of what a library's schema takes. Throws where the library has no way to it, and tells the remedy. */
export function jsonSchemaOf(schema: StandardSchema, what: string, remedy = "Pass plain JSON Schema instead"): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema)
    throw new AntiphonError(
      "INVALID_SCHEMA",
      `${what} is a ${vendor} schema that cannot be exported as JSON Schema. ${remedy}${hint(vendor)}.`,
    );
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new AntiphonError("INVALID_SCHEMA", `${what} cannot be exported as JSON Schema by ${vendor}: ${message}. ${remedy}.`, {
      cause,
    });
  }
}

const hint = (vendor: string): string =>
  vendor === "valibot" ? ", or wrap it with `toStandardJsonSchema` of `@valibot/to-json-schema`" : "";
