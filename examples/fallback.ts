// A fallback calls another model if the first one fails; a circuit breaker stops calling a model that keeps failing.
import { AntiphonError, collect, connect, provider, text } from "antiphon";
import { circuitBreaker, fallback } from "antiphon/middleware";
import { scripted } from "antiphon/testing";

const overloaded = new AntiphonError("SERVER_OVERLOADED", "No capacity at the moment.");
const first = circuitBreaker({ failures: 2 })(scripted([overloaded, overloaded]));
const respond = fallback([connect(provider("offline"))])(first);

for (const question of ["What is 6 * 7?", "What is 7 * 8?", "What is 8 * 9?"]) {
  for await (const event of respond({ input: question })) {
    if (event.type === "antiphon:fallback") console.log(`model ${event["from"]} failed, calling model ${event["to"]}`);
    if (event.type === "response.completed") console.log(text(event.response));
  }
  console.log(`the first model's breaker is ${first.state}`);
}

// An invalid request fails without a fallback: every model would reject it.
const refusing = fallback([connect(provider("offline"))])(scripted([new AntiphonError("BAD_REQUEST", "No input.")]));
await collect(refusing({})).catch((error: AntiphonError) => console.log(error.code));

// Prints:
//   model 0 failed, calling model 1
//   6 * 7 = 42
//   the first model's breaker is closed
//   model 0 failed, calling model 1
//   7 * 8 = 56
//   the first model's breaker is open
//   model 0 failed, calling model 1
//   8 * 9 = 72
//   the first model's breaker is open
//   BAD_REQUEST
