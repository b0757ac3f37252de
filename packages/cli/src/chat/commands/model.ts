import { modelsByProvider, providerNames } from "antiphon";
import { suggestion } from "../../nearest.ts";
import { UsageError } from "../../options.ts";
import type { Conversation } from "../conversation.ts";
import { efforts, verbosities } from "../settings.ts";
import type { ChatCommand, CommandResult } from "./table.ts";

/** The commands that say who answers, and how. */
export const modelCommands: Readonly<Record<string, ChatCommand>> = {
  model: {
    takes: "[provider:model]",
    about: "says who answers, or lets another model do so",
    words: modelNames,
    run: ({ conversation }, name) => {
      if (name) conversation.useModel(name);
      return { say: `The model is \`${conversation.modelName}\`.` };
    },
  },
  effort: choice("effort", "how hard the model thinks", efforts),
  verbosity: choice("verbosity", "how long answers are", verbosities),
  tools: {
    takes: "[on|off <name>]",
    about: "lists the tools, or switches one on or off",
    words: () => ["on", "off"],
    run: async ({ conversation, signal }, argument) => {
      const tools = await conversation.tools(signal);
      if (argument) switchTool(conversation, tools, argument);
      if (tools.length === 0) return { say: "There are no tools. `--tool` and `--mcp` add some." };
      const rows = (await conversation.tools(signal)).map(
        ({ name, about, isOn }) => `- \`${name}\` ${isOn ? "" : "(off) "}${about.split("\n")[0] ?? ""}`,
      );
      return { say: rows.join("\n") };
    },
  },
};

function modelNames(): string[] {
  return providerNames().flatMap((provider) => [provider, ...modelsByProvider(provider).map(({ id }) => `${provider}:${id}`)]);
}

/** A command that shows one of a few words, or takes another. */
function choice<Key extends "effort" | "verbosity">(
  key: Key,
  about: string,
  words: readonly NonNullable<Conversation[Key]>[],
): ChatCommand {
  const say = (conversation: Conversation): CommandResult => ({
    say: `The ${key} is ${conversation[key] ?? "the model's own"}; it may be ${words.join(", ")}.`,
  });
  return {
    takes: `[${words.join("|")}]`,
    about: `says ${about}, or changes it`,
    words: () => words,
    run: ({ conversation }, argument) => {
      if (!argument) return say(conversation);
      const word = words.find((one) => one === argument);
      if (!word)
        throw new UsageError(
          `The ${key} is one of ${words.join(", ")}, and not "${argument}"${suggestion(argument, words) || "."}`,
        );
      conversation[key] = word;
      return { say: `The ${key} is ${word} from now on.` };
    },
  };
}

function switchTool(conversation: Conversation, tools: readonly { name: string }[], argument: string): void {
  const [, word, name = ""] = /^(on|off)\s+(\S+)$/.exec(argument) ?? [];
  if (!word) throw new UsageError("This is written /tools on <name> or /tools off <name>.");
  const names = tools.map((tool) => tool.name);
  if (!names.includes(name)) throw new UsageError(`There is no tool "${name}"${suggestion(name, names) || "."}`);
  conversation.switchTool(name, word === "on");
}
