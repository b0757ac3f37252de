// A cache: an equal request gets the stored answer as the same stream of events, without a call to the model.
import { connect, provider, text, type Middleware } from "antiphon";
import { cache } from "antiphon/middleware";

let calls = 0;
const counted: Middleware = (next) => (request, options) => {
  calls += 1;
  return next(request, options);
};

const respond = cache({ ttl: 60_000 })(counted(connect(provider("offline"))));

for (const question of ["What is 6 * 7?", "What is 7 * 8?", "What is 6 * 7?"]) {
  let from = "the model";
  for await (const event of respond({ input: question })) {
    if (event.type === "antiphon:cached") from = "the cache";
    if (event.type === "response.completed") console.log(`${text(event.response)}, from ${from}`);
  }
}
console.log(`${calls} calls to the model`);

// Prints:
//   6 * 7 = 42, from the model
//   7 * 8 = 56, from the model
//   6 * 7 = 42, from the cache
//   2 calls to the model
