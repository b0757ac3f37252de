// As many arguments as a call surely takes.
const most = 8_192;

/** Bytes as base64 text. */
export function encodeBase64(bytes: Uint8Array): string {
  let units = "";
  for (let at = 0; at < bytes.length; at += most) units += String.fromCharCode(...bytes.subarray(at, at + most));
  return btoa(units);
}
