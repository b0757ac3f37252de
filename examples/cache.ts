// An answer that was given before is given again without asking, as the same stream of events.
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
    if (event.type === "response.completed") console.log(`${text(event.response)}, says ${from}`);
  }
}
console.log(`the model was asked ${calls} times`);

// Prints:
//   6 * 7 = 42, says the model
//   7 * 8 = 56, says the model
//   6 * 7 = 42, says the cache
//   the model was asked 2 times
