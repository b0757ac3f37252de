import { join } from "node:path";
import { dataFolder } from "./places.ts";

/** Where conversations are kept: a directory for `fileSessions`. */
export const sessionsFolder = (env?: Readonly<Record<string, string | undefined>>): string => join(dataFolder(env), "sessions");
