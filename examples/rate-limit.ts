// Twenty requests at once, of which five may be under way at a time and ten wait; the rest are told to come back.
import { AntiphonError, collect, connect, provider } from "antiphon";
import { rateLimit } from "antiphon/middleware";

const limit = rateLimit({ concurrency: 5, maxQueue: 10, tokensPerMinute: 100_000 });
const respond = limit(connect(provider("offline")));

const asked = Array.from({ length: 20 }, (_, index) => collect(respond({ input: `What is ${index} * ${index}?` })));
const settled = await Promise.allSettled(asked);

const answered = settled.filter(({ status }) => status === "fulfilled").length;
const refused = settled.flatMap((one) =>
  one.status === "rejected" && one.reason instanceof AntiphonError ? [one.reason.code] : [],
);
console.log(`${answered} answered, ${refused.length} refused with ${[...new Set(refused)].join()}`);

// Prints:
//   15 answered, 5 refused with RATE_LIMIT
