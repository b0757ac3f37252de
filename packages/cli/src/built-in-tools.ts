import { tool, type RunnableTool } from "antiphon";
import { calculate } from "./calculate.ts";
import type { toolNames } from "./commands.ts";

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

/** A schema of one field. */
const takes = (field: string, description: string) => ({
  type: "object",
  properties: { [field]: { type: "string", description } },
  required: [field],
  additionalProperties: false,
});

/** The tools that come with the command line. */
export const builtInTools: Readonly<Record<(typeof toolNames)[number], () => RunnableTool>> = {
  clock: () =>
    tool({
      name: "clock",
      description: "Tells the date and time in a place, such as Oslo.",
      input: takes("place", "A city or an IANA time zone"),
      run: ({ place }: { place: string }) => timeIn(place),
    }),
  calculator: () =>
    tool({
      name: "calculator",
      description: "Works out an arithmetic expression.",
      input: takes("expression", "Numbers, + - * / % ^ and brackets"),
      run: ({ expression }: { expression: string }) => String(calculate(expression)),
    }),
};
