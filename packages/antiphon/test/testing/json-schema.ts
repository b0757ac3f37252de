import { Ajv2020 } from "ajv/dist/2020.js";

const formats: Record<string, (text: string) => boolean> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  time: (text) => !Number.isNaN(Date.parse(`2026-01-01T${text}`)),
  email: (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text),
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  ipv4: (text) => text.split(".").length === 4 && text.split(".").every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256),
  ipv6: (text) => URL.canParse(`http://[${text}]/`),
  hostname: (text) => URL.canParse(`http://${text}/`),
};

/** What is wrong with a value under a schema: an empty list where it is valid. */
export function faults(schema: Record<string, unknown>, value: unknown): string[] {
  const { $schema: _, ...plain } = schema;
  // A fresh one each time: it keeps every schema that it has seen.
  const ajv = new Ajv2020({ strict: false, formats, multipleOfPrecision: 9, validateSchema: false, logger: false });
  if (ajv.validate(plain, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message} in ${JSON.stringify(value)}`);
}
