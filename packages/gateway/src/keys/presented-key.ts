import { refusals } from "./refusals.ts";

interface HeaderReader {
  get(name: string): string | null;
}

const scheme = /^bearer +/i;

/** The key that a request carries. Which of two different ones was meant is not for us to guess: then it is refused. */
export function presentedKey(headers: HeaderReader): string | undefined {
  const authorization = headers.get("authorization");
  const bearer = authorization !== null && scheme.test(authorization) ? authorization.replace(scheme, "").trim() : undefined;
  const secret = only(bearer, headers.get("x-api-key"));
  return only(secret, headers.get("api-key"));
}

function only(one: string | undefined, other: string | null): string | undefined {
  const two = other?.trim();
  if (one && two && one !== two) throw refusals.twoKeys();
  return one || two || undefined;
}
