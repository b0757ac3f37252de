// Asks about a picture: bytes, a path or a URL, it makes no difference.
import { collect, connect, image, provider, text, user } from "antiphon";

// The smallest PNG there is: one transparent pixel.
const pixel = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="),
  (unit) => unit.charCodeAt(0),
);

const respond = connect(provider("offline"));
const question = user([{ type: "input_text", text: "How many pictures do you see?" }, await image(pixel, { detail: "low" })]);
const response = await collect(respond({ input: [question] }));
console.log(text(response));
