/** The rest of a whole, after what was said of it; nothing where the whole contradicts what was said. */
export const unsaid = (said: string, whole: string): string => (whole.startsWith(said) ? whole.slice(said.length) : "");
