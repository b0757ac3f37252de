import { exitCodes } from "../exit-codes.ts";
import { Conversation } from "./conversation.ts";
import { isInteractive } from "./look.ts";
import type { ChatIo, ChatSettings } from "./settings.ts";

export type { ChatIo, ChatSettings } from "./settings.ts";

/** Runs a chat until the user quits: on the screen of a terminal, otherwise line by line. Returns the exit code. */
export async function chat(settings: ChatSettings, io: ChatIo): Promise<number> {
  const conversation = await Conversation.open(settings);
  if (!isInteractive(io)) {
    const { LineChat } = await import("./line-mode.ts");
    return new LineChat(io, settings, conversation).run();
  }
  const { InteractiveChat } = await import("./interactive.ts");
  await new InteractiveChat(io, settings, conversation).run();
  return exitCodes.ok;
}
