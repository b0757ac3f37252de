// Refusals: a reply has the field `refusal`, and a call with typed output throws a `RefusalError`.
import { Agent, RefusalError } from "antiphon";
import { z } from "zod";

const agent = new Agent({ model: "offline" });

const reply = await agent.send("[[refuse:I would rather not say.]]");
console.log(reply.finish, "-", reply.refusal);

try {
  await agent.send("[[refuse:I would rather not say.]]", { output: z.object({ secret: z.string() }) });
} catch (error) {
  if (!(error instanceof RefusalError)) throw error;
  console.log(error.code, "-", error.refusal);
}

// Prints:
//   refusal - I would rather not say.
//   CONTENT_POLICY - I would rather not say.
