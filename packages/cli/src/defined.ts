/** The same object without the fields that hold nothing. */
// A field that may hold nothing may also be missing, by the rules of this code.
export const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
