import { AntiphonError, type ErrorCode, type ErrorDetails } from "antiphon";

const refusal = (code: ErrorCode, status: number, message: string, details: ErrorDetails = {}): AntiphonError =>
  new AntiphonError(code, message, { status, ...details });

const badKey = (message: string): AntiphonError => refusal("AUTH_ERROR", 401, message, { vendorCode: "invalid_api_key" });
const rateLimit = { vendorCode: "rate_limit_exceeded" };

/** Why somebody is not let in. None of these repeats the key. */
export const refusals = {
  noKey: () => badKey("This gateway requires a key. Send it in the header `authorization: Bearer …`."),
  twoKeys: () => badKey("The request contains two different keys. Send only one."),
  unknownKey: () => badKey("This gateway does not know the key. List its keys with `antiphon keys list`."),
  revokedKey: () => badKey("The key was revoked. Ask the operator of this gateway for a new one."),
  expiredKey: () => badKey("The key has expired. Ask the operator of this gateway for a new one."),
  foreignHost: () =>
    refusal(
      "PERMISSION",
      403,
      "Without keys, this gateway only accepts requests to local host names such as `localhost`. " +
        "Create a key with `antiphon keys create`, or add the name to `hosts` in the gateway's configuration.",
    ),
  foreignOrigin: (origin: string) =>
    refusal(
      "PERMISSION",
      403,
      `Web pages from the origin ${JSON.stringify(origin.slice(0, 100))} cannot use this gateway. ` +
        "Add the origin to `cors.origins` in the gateway's configuration.",
    ),
  wrongModel: (model: string) =>
    refusal("PERMISSION", 403, `The key does not allow the model ${JSON.stringify(model.slice(0, 100))}.`, { param: "model" }),
  tooManyRequests: (limit: number, retryAfter: number) =>
    refusal("RATE_LIMIT", 429, `The key allows ${limit} requests per minute.`, { ...rateLimit, retryAfter }),
  tooManyTokens: (limit: number, retryAfter: number) =>
    refusal("TOKEN_RATE_LIMIT", 429, `The key allows ${limit} tokens per minute.`, { ...rateLimit, retryAfter }),
  budgetSpent: (budget: number) =>
    refusal("QUOTA_EXCEEDED", 429, `The key's budget of $${budget} is used up.`, { vendorCode: "insufficient_quota" }),
} as const;
