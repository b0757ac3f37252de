/** What the offline model is asked: each prompt leads to one known outcome. */
export const prompts = {
  sum: "What is 6 * 7?",
  sumAnswer: "6 * 7 = 42",
  say: "[[say:One two three four five six seven eight nine ten]]",
  saidWhole: "One two three four five six seven eight nine ten",
  saidHalf: "One two three four five",
  weather: "What is the weather in Oslo and Rome?",
  refuse: "[[refuse:I would rather not.]]",
  refusal: "I would rather not.",
  contentFilter: "[[stop:content_filter]] [[say:One two three four five six seven eight nine ten]]",
  fail: "[[fail:server_error]] [[say:One two three four five six seven eight nine ten]]",
  endless: "[[slow:5]] [[long:5000]]",
  person: "Ada Lovelace is 36 years old.",
} as const;

/** An order to fail before the first event. */
export const failWith = (code: string): string => `[[error:${code}]]`;

export const weatherParameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** What the weather tool says. */
export const weatherIn = (city: string): string => `${city} is sunny`;
export const weatherAnswer = "The tools say:\n- weather: Oslo is sunny\n- weather: Rome is sunny";

/** A red dot, 1 by 1. */
export const pngBase64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
export const pngUrl = `data:image/png;base64,${pngBase64}`;
