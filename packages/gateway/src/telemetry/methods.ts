const methods: ReadonlySet<string> = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"]);

/** The name of a method where it is a usual one: any other is the client's to invent, and would never be forgotten again. */
export const knownMethod = (method: string, otherwise: string): string => (methods.has(method) ? method : otherwise);
