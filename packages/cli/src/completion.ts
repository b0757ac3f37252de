import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { readArguments, UsageError, type Command } from "./options.ts";
import { shells } from "./shells.ts";

type Shell = (typeof shells)[number];

/** Prints a completion script and returns the exit code. */
export async function completion(args: string[]): Promise<number> {
  const { words } = readArguments(commands.completion, args);
  const shell = shells.find((one) => one === words[0]);
  if (!shell || words.length > 1) throw new UsageError(`specify a shell: ${shells.join(", ")}`);
  process.stdout.write(scripts[shell]());
  return exitCodes.ok;
}

const all: readonly [name: string, command: Command][] = Object.entries(commands);

/** The first words of commands, each with the second words. */
function firstWords(): Map<string, { summary: string; below: string[] }> {
  const words = new Map<string, { summary: string; below: string[] }>();
  for (const [name, { summary }] of all) {
    const [first = "", second] = name.split(" ");
    const word = words.get(first) ?? { summary, below: [] };
    if (second) words.set(first, { summary: `${first} commands`, below: [...word.below, second] });
    else words.set(first, word);
  }
  return words;
}

const flagsOf = ({ flags }: Command): string[] => Object.keys(flags).map((name) => `--${name}`);

/** Bash: one function with tables of words. */
function bash(): string {
  const groups = [...firstWords()].filter(([, { below }]) => below.length > 0);
  const cases = all.map(([name, command]) => `    "${name}") words="${flagsOf(command).join(" ")}" ;;`);
  const values = new Map<string, string>();
  for (const [, { flags }] of all)
    for (const [name, { completes, type }] of Object.entries(flags))
      if (type === "string") values.set(`--${name}`, typeof completes === "object" ? completes.join(" ") : (completes ?? ""));
  const valueCases = [...values].map(([flag, words]) =>
    words === "files"
      ? `    ${flag}) COMPREPLY=($(compgen -f -- "$cur")); return ;;`
      : `    ${flag}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`,
  );
  return `# Completion of antiphon for bash.
_antiphon() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" name words
  case "$prev" in
${valueCases.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...firstWords().keys()].join(" ")} --help --version" -- "$cur"))
    return
  fi
  name="$first"
  case "$first" in
${groups.map(([word, { below }]) => `    ${word})\n      if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "${below.join(" ")}" -- "$cur")); return; fi\n      name="$first $second" ;;`).join("\n")}
  esac
  case "$name" in
${cases.join("\n")}
  esac
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); return; fi
  case "$name" in
${all.flatMap(([name, { completes }]) => (typeof completes === "object" ? [`    "${name}") COMPREPLY=($(compgen -W "${completes.join(" ")}" -- "$cur")); return ;;`] : [])).join("\n")}
  esac
  local at=""
  if [[ "$cur" == @* ]]; then at="@"; fi
  COMPREPLY=($(compgen -f -P "$at" -- "\${cur#@}"))
}
complete -o filenames -F _antiphon antiphon
`;
}

/** Zsh runs the bash script. */
const zsh = (): string => `#compdef antiphon
autoload -U +X bashcompinit && bashcompinit
${bash()}`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Fish: one line per word and option. */
function fish(): string {
  const lines = ["# Completion of antiphon for fish.", "complete -c antiphon -f"];
  for (const [word, { summary, below }] of firstWords()) {
    lines.push(`complete -c antiphon -n __fish_use_subcommand -a ${word} -d ${quoted(summary)}`);
    const isOpen = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${below.join(" ")}`;
    for (const inner of below)
      lines.push(
        `complete -c antiphon -n ${quoted(isOpen)} -a ${inner} -d ${quoted(commandsAt(`${word} ${inner}`)?.summary ?? "")}`,
      );
  }
  for (const [name, command] of all) lines.push(...fishFlags(name, command));
  return `${lines.join("\n")}\n`;
}

const commandsAt = (name: string): Command | undefined => all.find(([one]) => one === name)?.[1];

function fishFlags(name: string, { flags, completes }: Command): string[] {
  const [first = "", second] = name.split(" ");
  const seen = `__fish_seen_subcommand_from ${first}${second ? `; and __fish_seen_subcommand_from ${second}` : ""}`;
  const start = `complete -c antiphon -n ${quoted(seen)}`;
  const lines = Object.entries(flags).map(([flag, { help, type, short, completes: values }]) => {
    const value =
      values === "files" ? " -r -F" : type === "string" ? ` -x${values ? ` -a ${quoted(values.join(" "))}` : ""}` : "";
    return `${start} -l ${flag}${short ? ` -s ${short}` : ""}${value} -d ${quoted(help)}`;
  });
  if (completes === "files") lines.push(`${start} -F`);
  else if (completes) lines.push(`${start} -a ${quoted(completes.join(" "))}`);
  return lines;
}

const scripts: Readonly<Record<Shell, () => string>> = { bash, zsh, fish };
