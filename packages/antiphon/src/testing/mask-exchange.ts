import { Mask, type MaskOptions } from "../core/mask.ts";
import type { Exchange } from "./tape.ts";

/**
 * An exchange without secrets: those that a name gives away, those that look like a key, and every other place where one of the
 * request's own turns up again.
 */
export function maskExchange(exchange: Exchange, options: MaskOptions = {}): Exchange {
  const mask = new Mask(options);
  const { request, response, error } = exchange;
  mask.learnFrom(request.headers, request.url);
  return {
    request: { ...request, url: mask.url(request.url), headers: mask.headers(request.headers), ...mask.bodyOf(request) },
    ...(response && { response: { ...response, headers: mask.headers(response.headers), ...mask.bodyOf(response) } }),
    ...(error && { error: { ...error, message: mask.text(error.message) } }),
  };
}
