const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?`;
const zone = String.raw`(?:[zZ]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)`;
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const ipv4 = new RegExp(String.raw`^${octet}(?:\.${octet}){3}$`);

/** Whether a month has a day; the pattern has seen to the rest. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isIpv6(text: string): boolean {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return false;
  const groups = [...head.split(":"), ...(tail ?? "").split(":")].filter(Boolean);
  const last = groups.at(-1) ?? "";
  const width = groups.length + (last.includes(".") ? 1 : 0);
  const areGroups = groups.every(
    (group, at) => /^[\da-fA-F]{1,4}$/.test(group) || (at === groups.length - 1 && ipv4.test(group)),
  );
  const isWhole = !/(^:[^:])|([^:]:$)|(:::)/.test(text);
  return areGroups && isWhole && (tail === undefined ? width === 8 : width < 8);
}

const matches =
  (pattern: RegExp): ((text: string) => boolean) =>
  (text) =>
    pattern.test(text);

const datePattern = new RegExp(`^${date}$`);
const dateTimePattern = new RegExp(`^${date}[tT ]${time}${zone}$`);

/** The formats that are checked; values of another pass. Each test takes time in proportion to the text. */
export const stringFormats: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => datePattern.test(text) && isDay(text),
  "date-time": (text) => dateTimePattern.test(text) && isDay(text),
  time: matches(new RegExp(`^${time}${zone}?$`)),
  duration: matches(
    /^P(?=[\dT])(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?)$/,
  ),
  email: matches(/^[^\s@]{1,64}@[^\s@]{1,255}$/),
  hostname: (text) => text.length <= 253 && text.split(".").every((part) => new RegExp(`^${label}$`).test(part)),
  ipv4: matches(ipv4),
  ipv6: isIpv6,
  uuid: matches(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i),
  uri: matches(/^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]*$/i),
};
