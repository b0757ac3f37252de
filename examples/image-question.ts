// Asks about a picture: bytes, a path or a URL, it makes no difference.
import { collect, connect, provider, text, user } from "antiphon";
import { image } from "antiphon/media";

// The smallest PNG there is: one transparent pixel.
const pixel = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="),
  (unit) => unit.charCodeAt(0),
);

const respond = connect(provider("offline"));
const question = user([{ type: "input_text", text: "How many pictures do you see?" }, await image(pixel, { detail: "low" })]);
const response = await collect(respond({ input: [question] }));
console.log(text(response));

// Prints:
//   I see 1 image. You wrote 6 words: “How many pictures do you see?” I am the offline model: no key, no network, and the same answer every time. Ask me to add numbers or to repeat something, give me a tool to call, or a schema to fill.
