// A web search with live progress. The model is scripted, so that the example runs without a key. Replace it with a
// model string such as "openai:gpt-5.2"; nothing else changes.
import { Agent, Writer } from "antiphon";
import { webSearch } from "antiphon/hosted";
import { scripted } from "antiphon/testing";

const model = scripted([
  (request) => {
    const writer = new Writer({ request, newId: (prefix) => `${prefix}_1`, now: () => 1_767_225_600 });
    const query = "ski race Oslo winner";
    const url = "https://news.example/ski";
    writer.start();
    writer.open("search", { type: "web_search_call", id: "ws_1", status: "in_progress" });
    writer.stage("search", "response.web_search_call.in_progress");
    writer.stage("search", "response.web_search_call.searching");
    writer.set("search", { status: "completed", action: { type: "search", query, sources: [{ type: "url", url }] } });
    writer.stage("search", "response.web_search_call.completed");
    writer.close("search");
    writer.text("Kari won");
    writer.annotate({ type: "url_citation", url, title: "Kari wins", start_index: 0, end_index: 8 });
    writer.text(" by a second.");
    writer.finish({ status: "completed" });
    return writer.drain();
  },
]);

const search = webSearch({ contextSize: "low", location: { country: "NO", city: "Oslo" } });
const agent = new Agent({ model, tools: [search] });
const stream = agent.stream("Who won the ski race today?");

for await (const { web_search = [] } of stream.progress()) {
  for (const { type } of web_search) console.log(`… ${type}`);
}

const { text, metadata } = await stream.reply;
console.log(text);
// The complete list of progress events. The last one summarizes the search.
console.log(metadata["web_search"]?.at(-1)?.["action"]);

// Prints:
//   … response.web_search_call.in_progress
//   … response.web_search_call.searching
//   … response.web_search_call.completed
//   … web_search_call
//   Kari won by a second.
//   {
//     type: 'search',
//     query: 'ski race Oslo winner',
//     sources: [ { type: 'url', url: 'https://news.example/ski' } ]
//   }
