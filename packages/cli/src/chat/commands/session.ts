import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { CommandError, UsageError } from "../../options.ts";
import { saveFiles } from "../../save-files.ts";
import { markdownOf } from "../../transcript.ts";
import { placeOf } from "../attachments.ts";
import { money, tokens } from "../text/amounts.ts";
import type { ChatCommand, CommandContext } from "./table.ts";

/** The commands for the conversation. */
export const sessionCommands: Readonly<Record<string, ChatCommand>> = {
  fork: {
    about: "continues in a copy; the original conversation stays unchanged",
    run: async ({ conversation }) => {
      const before = conversation.chat.id;
      const id = await conversation.fork();
      return { say: `Continuing in the copy \`${id}\`. \`${before}\` stays unchanged.` };
    },
  },
  undo: {
    takes: "[turns]",
    about: "removes the last turn, or the given number of turns",
    run: async ({ conversation: { chat } }, argument) => {
      const turns = argument === "" ? 1 : Number(argument);
      if (!Number.isInteger(turns) || turns < 1)
        throw new UsageError(`The number of turns must be a whole number greater than 0, not "${argument}".`);
      const before = chat.log.turns.length;
      if (before === 0) return { say: "The conversation is empty." };
      await chat.undo(turns);
      const undone = before - chat.log.turns.length;
      return { say: `Removed ${turnsWord(undone)}; ${turnsWord(chat.log.turns.length)} left.` };
    },
  },
  retry: {
    about: "sends the last message again if it was not answered",
    run: ({ conversation: { chat } }) => {
      // A last entry from the model needs no answer.
      const isAnswered = chat.pending.length === 0 && (chat.log.entries.at(-1)?.origin !== undefined || chat.items.length === 0);
      return isAnswered ? { say: "The last message was answered. Nothing to retry." } : { next: "retry" };
    },
  },
  compact: {
    about: "replaces the older part of the conversation with a summary",
    run: async ({ conversation: { chat }, signal }) => {
      try {
        const compacted = await chat.compact({ signal });
        if (!compacted) return { say: "The conversation is too short to summarise." };
        return { say: `Summarised the first ${compacted.to} of ${chat.items.length} items.` };
      } catch (error) {
        if (signal.aborted) return { say: "Cancelled; the conversation is unchanged." };
        throw error;
      }
    },
  },
  save: {
    takes: "[file or folder/]",
    about: "saves the conversation as Markdown or `.json`, or the files of the last answer to a folder",
    run: save,
  },
  stats: {
    about: "shows tokens, cost and context of this conversation",
    run: ({ conversation }) => ({ say: stats(conversation) }),
  },
};

const turnsWord = (count: number): string => `${count} ${count === 1 ? "turn" : "turns"}`;

async function save({ conversation, folder }: CommandContext, argument: string): Promise<{ say: string }> {
  const { chat, files } = conversation;
  if (argument.endsWith("/")) {
    if (files.length === 0) throw new CommandError("The last answer created no files.");
    const saved = await saveFiles(files, placeOf(argument, folder));
    return { say: `Saved ${saved.map(({ path }) => `\`${path}\``).join(", ")}.` };
  }
  if (chat.items.length === 0) throw new CommandError("The conversation is empty, so there is nothing to save.");
  const path = argument ? placeOf(argument, folder) : resolve(folder, `${basename(chat.id)}.md`);
  const text = path.endsWith(".json") ? `${JSON.stringify(chat)}\n` : markdownOf(chat.log);
  try {
    // Never overwrites a file.
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere ? new CommandError(`${path} already exists. Choose another name.`) : error;
  }
  return { say: `Saved \`${path}\`.` };
}

function stats(conversation: CommandContext["conversation"]): string {
  const { turns, messages, usage, context, cache, reasoningEffort, verbosity } = conversation.chat.stats();
  const { cost, requests } = conversation.agent.stats();
  const rows: [string, string | undefined][] = [
    ["session", conversation.chat.id],
    ["model", conversation.modelName],
    ["effort", reasoningEffort ?? undefined],
    ["verbosity", verbosity ?? undefined],
    ["turns", `${turns} (${messages} messages)`],
    ["requests", String(requests)],
    ["tokens", `${tokens(usage.input_tokens)} in, ${tokens(usage.output_tokens)} out`],
    ["cost", cost === undefined ? undefined : money(cost)],
    ["context", context && `${tokens(context.totalTokens)} of ${tokens(context.budget)} tokens, ${percent(context.share)}`],
    ["summarised", context && context.summarised > 0 ? `${context.summarised} messages` : undefined],
    ["cached", cache?.hitShare ? percent(cache.hitShare) : undefined],
  ];
  return [
    "| this conversation | |",
    "|---|---|",
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`| ${name} | ${value} |`])),
  ].join("\n");
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
