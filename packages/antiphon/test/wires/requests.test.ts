import { describe, expect, test } from "vitest";
import {
  assistant,
  developer,
  functionCallOutput,
  functionTool,
  system,
  user,
  type CreateResponse,
} from "../../src/model/index.ts";
import { testCtx } from "../support/ctx.ts";
import { wireNames, wires } from "./chain.ts";

/** The body that each wire gets for one request, side by side, with what it cannot say. */
const bodies = (request: CreateResponse): string =>
  wireNames
    .map((name) => {
      try {
        const { body, losses } = wires[name].codec.encodeRequest(testCtx({ model: "m", ...request, stream: false }));
        const { model: _, stream: __, ...rest } = body as Record<string, unknown>;
        const lost = losses.map(({ path }) => path).join(", ");
        return `${name.padEnd(9)} ${JSON.stringify(rest)}${lost ? ` — loses ${lost}` : ""}`;
      } catch (error) {
        return `${name.padEnd(9)} refuses: ${error instanceof Error ? error.message : String(error)}`;
      }
    })
    .join("\n");

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const weather = functionTool("weather", "Tells the weather.", city);
const call = (n: number) => ({
  type: "function_call" as const,
  call_id: `call_${n}`,
  name: "weather",
  arguments: '{"city":"Oslo"}',
});
const picture = "data:image/png;base64,iVBORw0KGgo=";

describe("one request, every wire", () => {
  test("a prompt with instructions", () => {
    expect(bodies({ instructions: "Be brief.", input: "Hi" })).toMatchInlineSnapshot(`
      "responses {"instructions":"Be brief.","input":"Hi"}
      chat      {"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}
      messages  {"max_tokens":4096,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}
      gemini    {"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"
    `);
  });
  test("system and developer messages, at the head and later", () => {
    expect(bodies({ input: [system("A."), developer("B."), user("Hi"), assistant("Hello"), system("C."), user("Bye")] }))
      .toMatchInlineSnapshot(`
      "responses {"input":[{"type":"message","role":"system","content":"A."},{"type":"message","role":"developer","content":"B."},{"type":"message","role":"user","content":"Hi"},{"type":"message","role":"assistant","content":"Hello"},{"type":"message","role":"system","content":"C."},{"type":"message","role":"user","content":"Bye"}]}
      chat      {"messages":[{"role":"system","content":"A."},{"role":"system","content":"B."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"system","content":"C."},{"role":"user","content":"Bye"}]} — loses input[1].role
      messages  {"max_tokens":4096,"system":[{"type":"text","text":"A."},{"type":"text","text":"B."}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"Hello"}]},{"role":"user","content":[{"type":"text","text":"<system-reminder>\\nC.\\n</system-reminder>"},{"type":"text","text":"Bye"}]}]} — loses input[4]
      gemini    {"systemInstruction":{"parts":[{"text":"A."},{"text":"B."}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},{"role":"user","parts":[{"text":"<system-reminder>\\nC.\\n</system-reminder>"},{"text":"Bye"}]}]} — loses input[4]"
    `);
  });
  test("a picture and a file", () => {
    const file = { type: "input_file" as const, filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" };
    const input = [user([{ type: "input_text", text: "See" }, { type: "input_image", image_url: picture }, file])];
    expect(bodies({ input })).toMatchInlineSnapshot(`
      "responses {"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"See"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}]}]}
      chat      {"messages":[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0=","filename":"a.pdf"}}]}]}
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"a.pdf"}]}]}
      gemini    {"contents":[{"role":"user","parts":[{"text":"See"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0="}}]}]} — loses input[0].content[2].filename"
    `);
  });
  test("parallel calls and their results", () => {
    const outputs = [functionCallOutput("call_2", "rain"), functionCallOutput("call_1", "sun")];
    expect(bodies({ input: [user("Hi"), assistant("One moment."), call(1), call(2), ...outputs], tools: [weather] }))
      .toMatchInlineSnapshot(`
      "responses {"input":[{"type":"message","role":"user","content":"Hi"},{"type":"message","role":"assistant","content":"One moment."},{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"},{"type":"function_call","call_id":"call_2","name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"},{"type":"function_call_output","call_id":"call_2","output":"rain"},{"type":"function_call_output","call_id":"call_1","output":"sun"}],"tools":[{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}
      chat      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"One moment.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}},{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"sun"},{"role":"tool","tool_call_id":"call_2","content":"rain"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]}
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"One moment."},{"type":"tool_use","id":"call_1","name":"weather","input":{"city":"Oslo"}},{"type":"tool_use","id":"call_2","name":"weather","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"sun"},{"type":"tool_result","tool_use_id":"call_2","content":"rain"}]}],"tools":[{"name":"weather","description":"Tells the weather.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"One moment."},{"functionCall":{"id":"call_1","name":"weather","args":{"city":"Oslo"}}},{"functionCall":{"id":"call_2","name":"weather","args":{"city":"Oslo"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"weather","response":{"output":"sun"}}},{"functionResponse":{"id":"call_2","name":"weather","response":{"output":"rain"}}}]}],"tools":[{"functionDeclarations":[{"name":"weather","description":"Tells the weather.","parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}]}"
    `);
  });
  test("a result with a picture", () => {
    const output = functionCallOutput("call_1", [
      { type: "input_text", text: "See" },
      { type: "input_image", image_url: picture },
    ]);
    expect(bodies({ input: [user("Hi"), call(1), output] })).toMatchInlineSnapshot(`
      "responses {"input":[{"type":"message","role":"user","content":"Hi"},{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"},{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"See"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}]}
      chat      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"See"},{"role":"user","content":[{"type":"text","text":"The tool call call_1 also returned:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}]} — loses input[2].output
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"weather","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"See"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}]}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"id":"call_1","name":"weather","args":{"city":"Oslo"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"weather","response":{"output":"See"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}}]}]}"
    `);
  });
  test("a forced tool, one at a time", () => {
    expect(
      bodies({ input: "Hi", tools: [weather], tool_choice: { type: "function", name: "weather" }, parallel_tool_calls: false }),
    ).toMatchInlineSnapshot(`
      "responses {"input":"Hi","tools":[{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}],"tool_choice":{"type":"function","name":"weather"},"parallel_tool_calls":false}
      chat      {"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}],"tool_choice":{"type":"function","function":{"name":"weather"}},"parallel_tool_calls":false}
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"tools":[{"name":"weather","description":"Tells the weather.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}],"tool_choice":{"type":"tool","name":"weather","disable_parallel_tool_use":true}}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"weather","description":"Tells the weather.","parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["weather"]}}} — loses parallel_tool_calls"
    `);
  });
  test("some tool, whichever", () => {
    expect(bodies({ input: "Hi", tools: [{ type: "function", name: "now" }], tool_choice: "required" })).toMatchInlineSnapshot(`
      "responses {"input":"Hi","tools":[{"type":"function","name":"now"}],"tool_choice":"required"}
      chat      {"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}],"tool_choice":"required"}
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"tools":[{"name":"now","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"any"}}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"now","parametersJsonSchema":{"type":"object","properties":{}}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}"
    `);
  });
  test("sampling and limits", () => {
    expect(
      bodies({
        input: "Hi",
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 100,
        stop: ["END"],
        seed: 7,
        frequency_penalty: 0.1,
      }),
    ).toMatchInlineSnapshot(`
      "responses {"input":"Hi","temperature":0.5,"top_p":0.9,"max_output_tokens":100,"frequency_penalty":0.1} — loses seed, stop
      chat      {"temperature":0.5,"top_p":0.9,"stop":["END"],"seed":7,"frequency_penalty":0.1,"messages":[{"role":"user","content":"Hi"}],"max_tokens":100}
      messages  {"max_tokens":100,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"temperature":0.5,"top_p":0.9,"stop_sequences":["END"]} — loses frequency_penalty, seed
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"temperature":0.5,"topP":0.9,"maxOutputTokens":100,"seed":7,"frequencyPenalty":0.1,"stopSequences":["END"]}}"
    `);
  });
  test("typed output", () => {
    expect(bodies({ input: "Hi", text: { format: { type: "json_schema", name: "place", schema: city, strict: true } } }))
      .toMatchInlineSnapshot(`
      "responses {"input":"Hi","text":{"format":{"type":"json_schema","name":"place","schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},"strict":true}}}
      chat      {"messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"place","schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},"strict":true}}}
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"tools":[{"name":"final_answer","description":"Call this tool once to give your final answer. Write nothing after it.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}],"tool_choice":{"type":"tool","name":"final_answer"}}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"title":"place","type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}"
    `);
  });
  test("reasoning effort", () => {
    expect(bodies({ input: "Hi", reasoning: { effort: "high", summary: "auto" } })).toMatchInlineSnapshot(`
      "responses {"input":"Hi","reasoning":{"effort":"high","summary":"auto"}}
      chat      {"messages":[{"role":"user","content":"Hi"}],"reasoning_effort":"high"} — loses reasoning.summary
      messages  {"max_tokens":20480,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"thinking":{"type":"enabled","budget_tokens":16384,"display":"summarized"}}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"thinkingConfig":{"thinkingLevel":"high","includeThoughts":true}}}"
    `);
  });
  test("a free-form tool and a namespace", () => {
    const tools = [
      { type: "custom" as const, name: "patch", description: "Edits." },
      { type: "namespace" as const, name: "geo", tools: [weather] },
    ];
    expect(bodies({ input: "Hi", tools })).toMatchInlineSnapshot(`
      "responses {"input":"Hi","tools":[{"type":"custom","name":"patch","description":"Edits."},{"type":"namespace","name":"geo","tools":[{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}]}
      chat      {"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"patch","description":"Edits.","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}}},{"type":"function","function":{"name":"geo__weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]}
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"tools":[{"name":"patch","description":"Edits.","input_schema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}},{"name":"geo__weather","description":"Tells the weather.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"patch","description":"Edits.","parametersJsonSchema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}},{"name":"geo__weather","description":"Tells the weather.","parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}]}"
    `);
  });
  test("a namespace with a server's tool in it", () => {
    const tools = [{ type: "namespace", name: "geo", tools: [{ type: "web_search" }, weather] }];
    expect(bodies({ input: "Hi", tools } as unknown as CreateResponse)).toMatchInlineSnapshot(`
      "responses {"input":"Hi","tools":[{"type":"namespace","name":"geo","tools":[{"type":"web_search"},{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}]}
      chat      {"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"geo__weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]} — loses tools[0].tools[0]
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"tools":[{"name":"geo__weather","description":"Tells the weather.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]} — loses tools[0].tools[0]
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"geo__weather","description":"Tells the weather.","parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}]} — loses tools[0].tools[0]"
    `);
  });
  test("a web search", () => {
    expect(bodies({ input: "Hi", tools: [{ type: "web_search" }] })).toMatchInlineSnapshot(`
      "responses {"input":"Hi","tools":[{"type":"web_search"}]}
      chat      {"messages":[{"role":"user","content":"Hi"}]} — loses tools[0]
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"googleSearch":{}}]}"
    `);
  });
  test("an earlier response", () => {
    expect(bodies({ input: "Hi", previous_response_id: "resp_1" })).toMatchInlineSnapshot(`
      "responses {"input":"Hi","previous_response_id":"resp_1"}
      chat      refuses: The Chat Completions API does not support \`previous_response_id\`, and the request cannot be sent without it.
      messages  refuses: The Messages API does not support \`previous_response_id\`; send the whole history.
      gemini    refuses: The Gemini API does not store responses; send the whole history."
    `);
  });
  test("a call that was never answered", () => {
    expect(bodies({ input: [user("Hi"), call(1), user("Well?")] })).toMatchInlineSnapshot(`
      "responses {"input":[{"type":"message","role":"user","content":"Hi"},{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"},{"type":"message","role":"user","content":"Well?"}]}
      chat      {"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"No result: the call was interrupted."},{"role":"user","content":"Well?"}]} — loses input
      messages  {"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"weather","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"No result: the call was interrupted.","is_error":true},{"type":"text","text":"Well?"}]}]} — loses input
      gemini    {"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"id":"call_1","name":"weather","args":{"city":"Oslo"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"weather","response":{"error":"No result: the call was interrupted."}}}]},{"role":"user","parts":[{"text":"Well?"}]}]} — loses input"
    `);
  });
  test("a result that nobody asked for", () => {
    expect(bodies({ input: [user("Hi"), functionCallOutput("call_9", "sun")] })).toMatchInlineSnapshot(`
      "responses {"input":[{"type":"message","role":"user","content":"Hi"},{"type":"function_call_output","call_id":"call_9","output":"sun"}]}
      chat      refuses: This output has no matching call: no earlier call has the id "call_9".
      messages  refuses: This output has no matching call: no earlier call has the id "call_9".
      gemini    refuses: This output has no matching call: no earlier call has the id "call_9"."
    `);
  });
});
