import { user } from "antiphon";
import { generateMedia } from "antiphon/media";
import { chosenProvider } from "./chosen-provider.ts";
import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import { exitCodes } from "./exit-codes.ts";
import { suggestion } from "./nearest.ts";
import { readArguments, UsageError } from "./options.ts";
import { waiting } from "./progress.ts";
import { promptOf } from "./prompt.ts";
import { saveFiles } from "./save-files.ts";

const qualities = ["auto", "low", "medium", "high"] as const;

/** Generates files, saves them and returns the exit code. */
export async function media(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.media, args);
  const quality = qualities.find((one) => one === flags.quality);
  if (flags.quality !== undefined && !quality)
    throw new UsageError(
      `--quality must be one of ${qualities.join(", ")}, not "${flags.quality}"${suggestion(flags.quality, qualities)}`,
    );
  const settings = await settingsFor(commands.media, { flags });
  const provider = chosenProvider(settings, { kind: "media", baseUrl: flags["base-url"] });
  const prompt = await promptOf(words);
  const { timeout } = settings.values;
  const done = waiting("Generating");
  try {
    const { files } = await generateMedia(provider, [user(prompt)], {
      mimeType: flags.type ?? "image/png",
      image: { ...(flags.size ? { size: flags.size } : {}), ...(quality && { quality }) },
      signal,
      ...(timeout ? { timeouts: { total: timeout * 1000 } } : {}),
    });
    const saved = await saveFiles(files, flags.save ?? ".");
    done();
    for (const file of saved) process.stdout.write(`${flags.json ? JSON.stringify(file) : file.path}\n`);
    return exitCodes.ok;
  } finally {
    done();
  }
}
