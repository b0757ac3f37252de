import { AntiphonError, type ErrorCode, type ErrorDetails } from "antiphon";

const refusal = (code: ErrorCode, status: number, message: string, details: ErrorDetails = {}): AntiphonError =>
  new AntiphonError(code, message, { status, ...details });

const badKey = (message: string): AntiphonError => refusal("AUTH_ERROR", 401, message, { vendorCode: "invalid_api_key" });
const rateLimit = { vendorCode: "rate_limit_exceeded" };

/** Why somebody is not let in. None of these repeats the key. */
export const refusals = {
  noKey: () => badKey("This gateway wants a key: send `Authorization: Bearer ak-…`."),
  twoKeys: () => badKey("The request carries two different keys. Send one."),
  unknownKey: () => badKey("The key is not one of this gateway's."),
  revokedKey: () => badKey("The key was revoked."),
  expiredKey: () => badKey("The key has expired."),
  foreignHost: () =>
    refusal("PERMISSION", 403, "Without keys, this gateway answers to the names of this machine alone, such as `localhost`."),
  foreignOrigin: () => refusal("PERMISSION", 403, "Pages of this origin may not use the gateway. It has to be configured."),
  wrongModel: (model: string) =>
    refusal("PERMISSION", 403, `The key is not for the model ${JSON.stringify(model.slice(0, 100))}.`, { param: "model" }),
  tooManyRequests: (limit: number, retryAfter: number) =>
    refusal("RATE_LIMIT", 429, `The key allows ${limit} requests a minute.`, { ...rateLimit, retryAfter }),
  tooManyTokens: (limit: number, retryAfter: number) =>
    refusal("TOKEN_RATE_LIMIT", 429, `The key allows ${limit} tokens a minute.`, { ...rateLimit, retryAfter }),
  budgetSpent: (budget: number) =>
    refusal("QUOTA_EXCEEDED", 429, `The key's budget of $${budget} is spent.`, { vendorCode: "insufficient_quota" }),
} as const;
