import { describe, expect, it } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { finishReason, functionCalls, text } from "../../src/core/views.ts";
import { functionCallOutput, user, type CreateResponse, type InputItem } from "../../src/model/index.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { ask, errorOf, weather } from "./ask-offline.ts";
import { faults } from "./json-schema.ts";

describe("its tool calls", () => {
  const time = {
    type: "function" as const,
    name: "clock",
    description: "Tells the time.",
    parameters: { type: "object", properties: {} },
  };
  const tools = [weather, time];
  const calls = async (request: CreateResponse) =>
    functionCalls(await collect(offline()(request))).map(({ name, arguments: json }) => [name, JSON.parse(json)]);

  const table: [string, CreateResponse, string[]][] = [
    ["auto calls what the prompt asks for", { input: "Weather in Oslo?" }, ["get_weather"]],
    ["auto calls nothing that the prompt does not ask for", { input: "Tell me a joke" }, []],
    ["auto calls two tools that the prompt asks for", { input: "The weather in Oslo and the clock" }, ["get_weather", "clock"]],
    [
      "auto calls a calculator for a sum",
      {
        input: "What is 6 * 7?",
        tools: [
          weather,
          {
            type: "function",
            name: "calculator",
            parameters: { type: "object", properties: { expression: { type: "string" } } },
          },
        ],
      },
      ["calculator"],
    ],
    ["none calls nothing", { input: "Weather in Oslo?", tool_choice: "none" }, []],
    ["none wins over a directive", { input: "[[call:clock]]", tool_choice: "none" }, []],
    [
      "a name wins over a directive",
      { input: "[[call:get_weather]]", tool_choice: { type: "function", name: "clock" } },
      ["clock"],
    ],
    [
      "allowed_tools wins over a directive",
      {
        input: "[[call:get_weather]]",
        tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "clock" }] },
      },
      [],
    ],
    ["required calls what fits best", { input: "Is the time right?", tool_choice: "required" }, ["clock"]],
    ["required calls something in any case", { input: "Tell me a joke", tool_choice: "required" }, ["get_weather"]],
    ["a name calls that tool", { input: "Weather in Oslo?", tool_choice: { type: "function", name: "clock" } }, ["clock"]],
    [
      "allowed_tools leaves the rest out",
      {
        input: "The weather in Oslo and the clock",
        tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "clock" }] },
      },
      ["clock"],
    ],
    [
      "allowed_tools may require",
      {
        input: "Tell me a joke",
        tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "clock" }] },
      },
      ["clock"],
    ],
    [
      "several places give parallel calls",
      { input: "Weather in Oslo, Rome and Paris?" },
      ["get_weather", "get_weather", "get_weather"],
    ],
    ["one at a time without parallel calls", { input: "Weather in Oslo and Rome?", parallel_tool_calls: false }, ["get_weather"]],
  ];
  it.each(table)("%s", async (_, request, expected) => {
    expect((await calls({ tools, ...request })).map(([name]) => name)).toEqual(expected);
  });

  it("fills arguments from the prompt, validly", async () => {
    expect(await calls({ input: "Weather in Oslo and San Francisco in fahrenheit?", tools })).toEqual([
      ["get_weather", { city: "Oslo", unit: "fahrenheit" }],
      ["get_weather", { city: "San Francisco", unit: "fahrenheit" }],
    ]);
    const [[, made]] = (await calls({ input: "weather please", tools })) as [[string, unknown]];
    expect(faults(weather.parameters, made)).toEqual([]);
  });

  it("refuses a choice that cannot be met", async () => {
    expect(await errorOf(ask("x", { tools, tool_choice: { type: "function", name: "nope" } }))).toMatchObject({
      code: "BAD_REQUEST",
      param: "tool_choice",
    });
    expect(await errorOf(ask("x", { tool_choice: "required" }))).toMatchObject({ code: "BAD_REQUEST" });
    expect(await errorOf(ask("x", { tool_choice: { type: "web_search" } }))).toMatchObject({ code: "UNSUPPORTED" });
  });

  it("runs a whole loop: calls, reads the results and answers with them", async () => {
    const respond = offline();
    const items: InputItem[] = [user("Weather in Oslo and Rome?")];
    const first = await collect(respond({ input: items, tools }));
    const answered = functionCalls(first).map(({ call_id, arguments: json }) =>
      functionCallOutput(call_id, `Sunny in ${JSON.parse(json).city}`),
    );
    const second = await collect(respond({ input: [...items, ...first.output, ...answered], tools }));
    expect(finishReason(first)).toBe("tool_calls");
    expect(text(second)).toBe("The tools say:\n- get_weather: Sunny in Oslo\n- get_weather: Sunny in Rome");
  });

  it("makes one call after the other where they may not be parallel", async () => {
    const respond = offline();
    const items: InputItem[] = [user("Weather in Oslo and Rome?")];
    const cities: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      const response = await collect(respond({ input: [...items], tools, parallel_tool_calls: false }));
      items.push(...response.output);
      for (const call of functionCalls(response)) {
        cities.push(JSON.parse(call.arguments).city);
        items.push(functionCallOutput(call.call_id, "Sunny"));
      }
    }
    expect(cities).toEqual(["Oslo", "Rome"]);
  });

  it("calls free-form and namespaced tools", async () => {
    const shout = { type: "custom" as const, name: "shout" };
    const response = await ask('shout "hello world"', { tools: [{ type: "namespace", name: "voice", tools: [shout] }] });
    expect(response.output[0]).toMatchObject({
      type: "custom_tool_call",
      name: "shout",
      namespace: "voice",
      input: "hello world",
    });
  });

  it("reads pictures in a tool's result", async () => {
    const call = { type: "function_call" as const, call_id: "c", name: "camera", arguments: "{}" };
    const output = functionCallOutput("c", [
      { type: "input_text", text: "Here" },
      { type: "input_image", image_url: "data:," },
    ]);
    expect(text(await ask([user("Take a photo"), call, output]))).toBe("The camera tool says: Here [1 image]");
  });

  it("refuses results without a call and calls without a result", async () => {
    expect(await errorOf(ask([user("x"), functionCallOutput("call_1", "y")]))).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("call_1"),
    });
    const call = { type: "function_call" as const, call_id: "call_2", name: "clock", arguments: "{}" };
    expect(await errorOf(ask([user("x"), call, user("y")]))).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("call_2"),
    });
    expect((await ask([user("x"), { ...call, status: "incomplete" }, user("y")])).status).toBe("completed");
  });
});

describe("its typed output", () => {
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, celsius: { type: "integer" } },
    required: ["city", "celsius"],
    additionalProperties: false,
  };
  const typed = { text: { format: { type: "json_schema" as const, name: "weather", schema } } };

  it("is valid under the schema", async () => {
    expect(JSON.parse(text(await ask("21 degrees in Oslo", typed)))).toEqual({ city: "Oslo", celsius: 21 });
  });

  it("comes after the tools, and uses what they gave", async () => {
    const request = { ...typed, tools: [weather] };
    const first = await ask("Weather in Oslo?", request);
    const [call] = functionCalls(first);
    const second = await ask(
      [user("Weather in Oslo?"), ...first.output, functionCallOutput(call!.call_id, "It has 17 degrees")],
      request,
    );
    expect(JSON.parse(text(second))).toEqual({ city: "Oslo", celsius: 17 });
  });

  it("is an object where any JSON object will do", async () => {
    expect(JSON.parse(text(await ask("What is 2+3?", { text: { format: { type: "json_object" } } })))).toEqual({
      answer: "2 + 3 = 5",
    });
  });

  it("says word for word what a directive wants, valid or not", async () => {
    expect(text(await ask("[[say:not JSON]]", typed))).toBe("not JSON");
  });
});
