// One request, one response.
import { collect, connect, provider, text } from "antiphon";

const respond = connect(provider("offline"));
const response = await collect(respond({ input: "Say hello in one sentence." }));

console.log(text(response));
console.log(`${response.status}, ${response.usage?.total_tokens} tokens`);

// Prints:
//   hello in one sentence.
//   completed, 15 tokens
