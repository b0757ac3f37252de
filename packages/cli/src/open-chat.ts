import { join } from "node:path";
import type { ChatSettings } from "./chat/settings.ts";
import { choiceReason, chosenProvider, providerNamed } from "./chosen-provider.ts";
import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import type { Settings } from "./config/load.ts";
import { defined } from "./defined.ts";
import { readArguments, UsageError } from "./options.ts";
import { dataFolder } from "./places.ts";
import { pricesFor } from "./prices.ts";
import { sessionsFolder } from "./sessions-folder.ts";
import { toolsFor } from "./tools.ts";

/** Opens a chat in the terminal and returns the exit code. */
export async function openChat(args: string[]): Promise<number> {
  const { flags, words } = readArguments(commands.chat, args);
  if (flags.resume && flags["no-keep"]) throw new UsageError("--resume and --no-keep cannot be combined");
  const settings = await settingsFor(commands.chat, { flags });
  const model = chosenProvider(settings, { baseUrl: flags["base-url"] });
  const [{ chat }, { processIo }] = await Promise.all([import("./chat/chat.ts"), import("./chat/process-io.ts")]);
  const { tools, close } = await toolsFor(settings, flags, "writes");
  try {
    return await chat(
      {
        model,
        findModel: (name) => providerNamed(settings, name),
        tools,
        prices: await pricesFor(settings),
        ...chatOptions(settings),
        ...(flags["no-keep"] ? {} : { sessions: sessionsFolder(), history: join(dataFolder(), "history") }),
        ...defined({ first: words.join(" ").trim() || undefined, reason: choiceReason(settings, model) }),
        ...(flags["no-color"] ? { colour: false } : {}),
        ...(flags.session || flags.resume ? { resume: flags.session ?? true } : {}),
      },
      processIo(),
    );
  } finally {
    await close();
  }
}

/** The options of the chat from the configuration. */
function chatOptions({ values }: Settings): Omit<ChatSettings, "model"> {
  const { instructions, effort, verbosity, temperature, parallel_tool_calls, store, timeout } = values;
  const { max_tokens: maxTokens, max_steps: maxSteps } = values;
  const { context_budget: budget, summarize_threshold: threshold, min_recent_messages: minRecent } = values;
  const timeouts = timeout ? { total: timeout * 1000 } : undefined;
  const request = defined({ temperature, parallel_tool_calls, store, timeouts });
  return defined({
    instructions,
    effort,
    verbosity,
    maxTokens,
    maxSteps,
    request,
    context: defined({ budget, threshold, minRecent }),
  });
}
