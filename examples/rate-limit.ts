// Twenty requests at the same time: five run, ten wait in the queue, and the rest fail with `RATE_LIMIT`.
import { AntiphonError, collect, connect, provider } from "antiphon";
import { rateLimit } from "antiphon/middleware";

const limit = rateLimit({ concurrency: 5, maxQueue: 10, tokensPerMinute: 100_000 });
const respond = limit(connect(provider("offline")));

const replies = Array.from({ length: 20 }, (_, index) => collect(respond({ input: `What is ${index} * ${index}?` })));
const settled = await Promise.allSettled(replies);

const answered = settled.filter(({ status }) => status === "fulfilled").length;
const rejected = settled.flatMap((result) =>
  result.status === "rejected" && result.reason instanceof AntiphonError ? [result.reason.code] : [],
);
console.log(`${answered} answered, ${rejected.length} rejected with ${[...new Set(rejected)].join()}`);

// Prints:
//   15 answered, 5 rejected with RATE_LIMIT
