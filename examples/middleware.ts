// A middleware is a function from a model to a model. This one logs the status of every call.
import { collect, connect, isTerminal, provider, text, type Middleware } from "antiphon";

const logged: Middleware = (next) => (request, options) => ({
  async *[Symbol.asyncIterator]() {
    let events = 0;
    for await (const event of next(request, options)) {
      events += 1;
      if (isTerminal(event)) console.log(`${event.response.status} after ${events} events`);
      yield event;
    }
  },
});

const respond = logged(connect(provider("offline")));
console.log(text(await collect(respond({ input: "Say hello." }))));

// Prints:
//   completed after 10 events
//   hello.
