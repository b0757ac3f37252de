export { cache, type CacheOptions, type CacheSettings } from "./cache.ts";
export { circuitBreaker, type BreakerModel, type BreakerState, type CircuitBreakerOptions } from "./circuit-breaker.ts";
export { fallback, type FallbackModel, type FallbackOptions } from "./fallback.ts";
export { guardrail, type GuardrailOptions, type GuardVerdict } from "./guardrail.ts";
export { logger, type LoggerOptions, type LogLevel, type LogLine } from "./logger.ts";
export { maskSecrets } from "../core/mask.ts";
export { memoryCache, type CacheStore, type MemoryCacheOptions } from "./memory-cache.ts";
export { rateLimit, type RateLimitOptions } from "./rate-limit.ts";
export {
  telemetry,
  type TelemetryApi,
  type TelemetryMeter,
  type TelemetryOptions,
  type TelemetrySpan,
  type TelemetryTracer,
} from "./telemetry.ts";
