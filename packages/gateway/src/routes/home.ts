import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import { json, type Exchange, type Handler, type Reply } from "../http/exchange.ts";
import { clientError } from "../http/faces.ts";
import { inTime } from "../telemetry/in-time.ts";

const name = "Antiphon gateway";
const summary =
  "One server in front of many language models. It provides the OpenAI, Anthropic and Open Responses APIs, so existing clients work unchanged.";

/** Milliseconds to wait for the providers' lists of models. */
const listTimeout = 2_000;
const maxModels = 60;

/** What a visitor without a key may see. */
interface Visit {
  /** The URL under which the visitor reached the gateway, without a slash at its end. */
  url: string;
  requiresKey: boolean;
  /** Why requests from this page would fail, if they would. */
  problem: string | undefined;
  /** `undefined` if the visitor may not see the models, or if listing them failed. */
  models: string[] | undefined;
  /** A model for the examples. */
  model: string;
}

/** Returns the handler of the start page: HTML for a browser, a short JSON description for other clients. */
export const home =
  (context: Context): Handler =>
  async (exchange) => {
    const visit = await visitOf(context, exchange);
    const headers = { "cache-control": "no-store", vary: "Accept" };
    return prefersHtml(exchange.headers.get("accept") ?? "") ? page(visit, headers) : json(200, describe(visit), headers);
  };

const prefersHtml = (accept: string): boolean =>
  accept.split(",").some((range) => /^\s*text\/html\s*(?:;(?!.*\bq=0(?:\.0*)?\s*$).*)?$/i.test(range));

const keyHeaders: ReadonlySet<string> = new Set(["authorization", "x-api-key", "api-key"]);

/** Shows nothing that depends on a key, so a key in the request is ignored. */
async function visitOf(context: Context, exchange: Exchange): Promise<Visit> {
  const visit: Visit = { url: urlOf(exchange), requiresKey: false, problem: undefined, models: undefined, model: "MODEL" };
  const { headers } = exchange;
  try {
    await context.gatekeeper.authenticate({ get: (header) => (keyHeaders.has(header) ? null : headers.get(header)) });
  } catch (thrown) {
    const { code, message } = clientError(thrown);
    if (code === "AUTH_ERROR") return { ...visit, requiresKey: true };
    return { ...visit, problem: message };
  }
  const models = await modelsOf(context);
  return { ...visit, models, model: defaultModel(context) ?? models?.[0] ?? visit.model };
}

async function modelsOf({ models, telemetry }: Context): Promise<string[] | undefined> {
  try {
    return (await inTime(listTimeout, () => models.list())).map(({ id }) => id);
  } catch (error) {
    telemetry.log({ level: "warn", message: "cannot list models for the start page", error });
    return undefined;
  }
}

function defaultModel({ models }: Context): string | undefined {
  try {
    return models.resolve(undefined).name;
  } catch {
    return undefined;
  }
}

/** Host names, IPv4 addresses and IPv6 addresses, each with an optional port. Any other text could break out of a shell command. */
const plainHost = /^(?:[a-z\d](?:[\w.-]{0,252}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

function urlOf({ origin, headers }: Exchange): string {
  if (origin !== undefined) return origin;
  const host = headers.get("host") ?? "";
  const scheme = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${plainHost.test(host) ? host : "localhost"}`;
}

interface BaseUrl {
  url: string;
  description: string;
}

const baseUrls = (url: string): BaseUrl[] => [
  {
    url: `${url}/openai/v1`,
    description: "For the OpenAI SDK, the AI SDK, Codex and other OpenAI clients: the Responses and Chat Completions APIs.",
  },
  { url: `${url}/v1`, description: "For clients of the Open Responses specification; also provides Chat Completions." },
  { url, description: "For the Anthropic SDK and Claude Code: the Messages API." },
];

const describe = ({ url, requiresKey, models }: Visit): object => ({
  name,
  description: summary,
  base_urls: baseUrls(url),
  requires_key: requiresKey,
  ...(models && { models }),
  openapi: `${url}/openapi.json`,
});

const snippets = ({ url, requiresKey, model }: Visit): [title: string, code: string][] => {
  const shown = JSON.stringify(model);
  const body = JSON.stringify({ model, input: "Hello" }).replaceAll("'", "\\u0027");
  const shellModel = /^[\w.:/-]+$/.test(model) ? model : `'${model.replaceAll("'", `'\\''`)}'`;
  return [
    [
      "curl",
      `curl ${url}/v1/responses \\
  -H "content-type: application/json" \\${requiresKey ? '\n  -H "authorization: Bearer $ANTIPHON_KEY" \\' : ""}
  -d '${body}'`,
    ],
    [
      "OpenAI SDK",
      `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${url}/openai/v1",
  apiKey: ${requiresKey ? "process.env.ANTIPHON_KEY" : '"none"'},
});
const response = await client.responses.create({
  model: ${shown},
  input: "Hello",
});
console.log(response.output_text);`,
    ],
    [
      "Claude Code and Anthropic SDK",
      `export ANTHROPIC_BASE_URL=${url}
export ANTHROPIC_AUTH_TOKEN=${requiresKey ? "$ANTIPHON_KEY" : "none"}
claude --model ${shellModel}`,
    ],
  ];
};

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
const code = (text: string): string => `<code>${escape(text)}</code>`;

function access({ requiresKey, problem }: Visit): string {
  if (problem !== undefined) return `<p class="note">${escape(problem)}</p>`;
  if (!requiresKey) return "";
  return `<p class="note"><strong>This gateway requires a key.</strong> Send it in the header ${code("authorization: Bearer …")}.
In the examples, replace ${code("MODEL")} with a name from ${code("GET /v1/models")}.</p>`;
}

function modelList({ models, requiresKey, problem }: Visit): string {
  if (requiresKey || problem !== undefined) return "";
  if (!models) return `<p>The models cannot be listed at the moment. Try ${code("GET /v1/models")}.</p>`;
  const shown = models.slice(0, maxModels).map((model) => `<li>${code(model)}</li>`);
  const more = models.length - shown.length;
  const rest = more > 0 ? `<p>${more} more in <a href="/v1/models">${code("GET /v1/models")}</a>.</p>` : "";
  return `<h2>Models</h2>\n<ul class="models">${shown.join("")}</ul>${rest}`;
}

const style = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --line: #dcdfe4; --panel: #f6f7f9; --link: #0b5cad; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --soft: #a0a5ad; --line: #33373d; --panel: #1d2024; --link: #7ab8ff; --page: #131518; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { margin: 0 0 .5rem; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 2.2rem 0 .7rem; font-size: 1.15rem; }
h3 { margin: 1.2rem 0 .4rem; font-size: .95rem; font-weight: 600; color: var(--soft); }
p { margin: 0 0 .8rem; }
a { color: var(--link); }
code, pre { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: .8rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
pre code { overflow-wrap: normal; user-select: all; -webkit-user-select: all; }
dl { margin: 0; border-top: 1px solid var(--line); }
dt { padding-top: .6rem; font-weight: 600; }
dd { margin: 0; padding: .1rem 0 .6rem; color: var(--soft); border-bottom: 1px solid var(--line); }
.note { padding: .7rem 1rem; background: var(--panel); border-left: 4px solid var(--link); border-radius: 4px; }
.models { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .8rem; padding: 0; list-style: none; }
.models code { display: block; padding: .1rem .55rem; background: var(--panel); border: 1px solid var(--line); border-radius: 999px; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function page(visit: Visit, headers: Record<string, string>): Reply {
  const urls = baseUrls(visit.url).map(({ url, description }) => `<dt>${code(url)}</dt><dd>${escape(description)}</dd>`);
  const examples = snippets(visit).map(([title, text]) => `<h3>${escape(title)}</h3>\n<pre>${code(text)}</pre>`);
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${name}</h1>
<p>${escape(summary)}</p>
${access(visit)}
<h2>Base URLs</h2>
<dl>${urls.join("\n")}</dl>
<h2>First request</h2>
<p>Click an example to select it, then copy it.</p>
${examples.join("\n")}
${modelList(visit)}
<footer>OpenAPI description: <a href="/openapi.json">openapi.json</a>. Status: <a href="/readyz">readyz</a>.</footer>
</main>
</body>
</html>
`;
  const security = {
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  return { status: 200, headers: { ...headers, ...security, "content-type": "text/html; charset=utf-8" }, body };
}
