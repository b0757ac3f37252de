/** A 64-bit hash of a text as 16 hexadecimal digits: the same text gives the same digits everywhere. Not for secrets. */
export function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
    b ^= b >>> 15;
  }
  return hex(a ^ (b >>> 7)) + hex(b ^ (a >>> 11));
}

/** The same as a whole number below 2³². */
export const hashNumber = (text: string): number => Number.parseInt(hash(text).slice(0, 8), 16);

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");
