import { exitCodes } from "../exit-codes.ts";
import { Conversation } from "./conversation.ts";
import { isInteractive } from "./look.ts";
import type { ChatIo, ChatSettings } from "./settings.ts";

export type { ChatIo, ChatSettings } from "./settings.ts";

/** Talks with a model until somebody leaves: on the screen where there is one, else by lines. Gives the exit code. */
export async function chat(settings: ChatSettings, io: ChatIo): Promise<number> {
  const conversation = await Conversation.open(settings);
  if (!isInteractive(io)) {
    const { LineChat } = await import("./line-mode.ts");
    return new LineChat(io, conversation).run();
  }
  const { InteractiveChat } = await import("./interactive.ts");
  await new InteractiveChat(io, settings, conversation).run();
  return exitCodes.ok;
}
