import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { UsageError } from "../../options.ts";
import { saveFiles } from "../../save-files.ts";
import { markdownOf } from "../../transcript.ts";
import { placeOf } from "../attachments.ts";
import { money, tokens } from "../text/amounts.ts";
import type { ChatCommand, CommandContext } from "./table.ts";

/** The commands that are about the conversation itself. */
export const sessionCommands: Readonly<Record<string, ChatCommand>> = {
  fork: {
    about: "goes on in a copy of the conversation; the original stays as it is",
    run: async ({ conversation }) => {
      const before = conversation.chat.id;
      const id = await conversation.fork();
      return { say: `This is \`${id}\` now. \`${before}\` stays as it was.` };
    },
  },
  undo: {
    takes: "[turns]",
    about: "takes the last turn back, or as many as you say",
    run: async ({ conversation: { chat } }, argument) => {
      const turns = argument === "" ? 1 : Number(argument);
      if (!Number.isInteger(turns) || turns < 1) throw new UsageError(`"${argument}" is no number of turns.`);
      const before = chat.log.turns.length;
      if (before === 0) return { say: "Nothing was said yet." };
      await chat.undo(turns);
      const undone = before - chat.log.turns.length;
      return { say: `${turnsWord(undone)} taken back; ${turnsWord(chat.log.turns.length)} left.` };
    },
  },
  retry: {
    about: "asks again what was not answered",
    run: ({ conversation: { chat } }) => {
      // What a model said last, nobody has to answer.
      const isAnswered = chat.pending.length === 0 && (chat.log.entries.at(-1)?.origin !== undefined || chat.items.length === 0);
      return isAnswered ? { say: "Nothing waits for an answer." } : { next: "retry" };
    },
  },
  compact: {
    about: "lets a summary stand for the older part of the conversation",
    run: async ({ conversation: { chat }, signal }) => {
      const compacted = await chat.compact({ signal });
      if (!compacted) return { say: "The conversation is too short to be summarised." };
      return { say: `A summary stands for the first ${compacted.to} of ${chat.items.length} items.` };
    },
  },
  save: {
    takes: "[file or folder/]",
    about: "writes the conversation to a file, as Markdown or `.json`; into a folder, the files of the last answer",
    run: save,
  },
  stats: { about: "tells what the conversation took so far", run: ({ conversation }) => ({ say: stats(conversation) }) },
};

const turnsWord = (count: number): string => `${count} ${count === 1 ? "turn" : "turns"}`;

async function save({ conversation, folder }: CommandContext, argument: string): Promise<{ say: string }> {
  const { chat, files } = conversation;
  if (argument.endsWith("/")) {
    if (files.length === 0) throw new UsageError("The last answer made no files.");
    const saved = await saveFiles(files, placeOf(argument, folder));
    return { say: `Saved ${saved.map(({ path }) => `\`${path}\``).join(", ")}.` };
  }
  const path = argument ? placeOf(argument, folder) : resolve(folder, `${basename(chat.id)}.md`);
  const text = path.endsWith(".json") ? `${JSON.stringify(chat)}\n` : markdownOf(chat.log);
  try {
    // What is there already may be somebody's work.
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere ? new UsageError(`${path} is there already; name another file.`) : error;
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
    ["turns", `${turns}, with ${messages} messages`],
    ["requests", String(requests)],
    ["tokens", `${tokens(usage.input_tokens)} in, ${tokens(usage.output_tokens)} out`],
    ["cost", cost === undefined ? undefined : money(cost)],
    ["context", context && `${tokens(context.totalTokens)} of ${tokens(context.budget)} tokens, ${percent(context.share)}`],
    ["summarised", context && context.summarised > 0 ? `${context.summarised} messages` : undefined],
    ["cached", cache?.hitShare ? percent(cache.hitShare) : undefined],
  ];
  return ["| | |", "|---|---|", ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`| ${name} | ${value} |`]))].join(
    "\n",
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
