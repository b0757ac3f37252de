import { functionTool, type FunctionTool } from "antiphon";
import { calculate } from "./calculate.ts";
import type { toolNames } from "./commands.ts";

/** A tool that comes with the command line. */
export interface BuiltInTool {
  definition: FunctionTool;
  /** Takes the model's arguments as they came; what it throws goes back to the model. */
  run(input: unknown): string;
}

const builtIn = (
  name: string,
  about: string,
  field: string,
  fieldAbout: string,
  run: (value: string) => string,
): BuiltInTool => ({
  definition: functionTool(name, about, {
    type: "object",
    properties: { [field]: { type: "string", description: fieldAbout } },
    required: [field],
    additionalProperties: false,
  }),
  run: (input) => {
    const value: unknown = typeof input === "object" && input !== null ? Reflect.get(input, field) : undefined;
    if (typeof value !== "string") throw new Error(`"${field}" must be a string.`);
    return run(value);
  },
});

const plain = (text: string): string => ` ${text.toLowerCase().replaceAll(/[^\p{Letter}]+/gu, " ")} `;

/** The time zone that a text names: `Europe/Oslo`, `Oslo`, `the weather in Oslo`. */
function zoneOf(place: string): string {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  const cityOf = (zone: string): string => plain(zone.split("/").at(-1) ?? zone);
  const found =
    zones.find((zone) => zone.toLowerCase() === place.toLowerCase()) ?? zones.find((zone) => plain(place).includes(cityOf(zone)));
  if (!found) throw new Error(`No time zone is known for "${place}"; name a larger city nearby, or UTC.`);
  return found;
}

function timeIn(place: string): string {
  const timeZone = zoneOf(place);
  const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format(new Date());
  return `${time} in ${timeZone}`;
}

/** The tools that `--tool` can switch on. */
export const builtInTools: Readonly<Record<(typeof toolNames)[number], BuiltInTool>> = {
  clock: builtIn("clock", "Tells the date and time in a place, such as Oslo.", "place", "A city or an IANA time zone", timeIn),
  calculator: builtIn(
    "calculator",
    "Works out an arithmetic expression.",
    "expression",
    "Numbers, + - * / % ^ and brackets",
    (expression) => String(calculate(expression)),
  ),
};
