import { modelsByProvider, providerNames } from "antiphon";
import { toolNames } from "../../commands.ts";
import { suggestion } from "../../nearest.ts";
import { UsageError } from "../../options.ts";
import type { Conversation } from "../conversation.ts";
import { efforts, verbosities } from "../settings.ts";
import type { ChatCommand, CommandResult } from "./table.ts";

const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const noTools = `This chat has no tools. Start it with \`--tool ${toolNames[0]}\`, \`--tool ${toolNames[1]}\` or \`--mcp <server>\` to add some.`;

/** The commands for the model and the tools. */
export const modelCommands: Readonly<Record<string, ChatCommand>> = {
  model: {
    takes: "[provider:model]",
    about: "shows or changes the model",
    words: modelNames,
    run: ({ conversation }, name) => {
      if (name) conversation.useModel(name);
      return { say: `Model: \`${conversation.modelName}\`` };
    },
  },
  effort: choice("effort", "reasoning effort", efforts),
  verbosity: choice("verbosity", "length of answers", verbosities),
  tools: {
    takes: "[on|off <name>]",
    about: "lists the tools, or enables or disables one",
    words: () => ["on", "off"],
    run: async ({ conversation, signal }, argument) => {
      const tools = await conversation.tools(signal);
      if (argument) switchTool(conversation, tools, argument);
      if (tools.length === 0) return { say: noTools };
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

/** A command that shows or changes one setting. */
function choice<Key extends "effort" | "verbosity">(
  key: Key,
  about: string,
  words: readonly NonNullable<Conversation[Key]>[],
): ChatCommand {
  const say = (conversation: Conversation): CommandResult => ({
    say: `${title(key)}: ${conversation[key] ?? "the model's default"}. Values: ${words.join(", ")}.`,
  });
  return {
    takes: `[${words.join("|")}]`,
    about: `shows or changes the ${about}`,
    words: () => words,
    run: ({ conversation }, argument) => {
      if (!argument) return say(conversation);
      const word = words.find((one) => one === argument);
      if (!word)
        throw new UsageError(`Unknown ${key} "${argument}"${suggestion(argument, words) || "."} Values: ${words.join(", ")}.`);
      conversation[key] = word;
      return { say: `${title(key)}: ${word}` };
    },
  };
}

function switchTool(conversation: Conversation, tools: readonly { name: string }[], argument: string): void {
  const [, word, name = ""] = /^(on|off)\s+(\S+)$/.exec(argument) ?? [];
  if (!word) throw new UsageError("Usage: /tools on <name> or /tools off <name>.");
  const names = tools.map((tool) => tool.name);
  if (!names.includes(name))
    throw new UsageError(`Unknown tool "${name}"${suggestion(name, names) || "."} Available: ${names.join(", ") || "none"}.`);
  conversation.switchTool(name, word === "on");
}
