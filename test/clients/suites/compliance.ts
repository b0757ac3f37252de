import { spawn } from "node:child_process";
import { newId } from "antiphon";
import { offline } from "antiphon/testing";
import { describe, expect, test } from "vitest";
import { startAround, upstreams } from "../support/gateway.ts";

// The suite of the specification is not part of this repository: docs/clients.md says how to get it.
const command = process.env["COMPLIANCE_SUITE"];

/** Runs the suite against a model of a gateway, and gives what it printed, without colours. */
function runSuite(url: string, model: string): Promise<string> {
  const args = `--base-url ${url}/v1 --api-key none --model ${model}`;
  const child = spawn(`${command} ${args}`, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let told = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (told += String(data)));
  return new Promise((resolve) => {
    child.on("close", () => resolve(told.replaceAll(/\u001b\[\d+m/g, "")));
  });
}

describe.skipIf(!command)("compliance", () => {
  test.each(upstreams)("%s", async (upstream) => {
    const gateway = await startAround(offline({ newId }));
    const told = await runSuite(gateway.url, upstream).finally(gateway.close);
    expect(told).toContain("17 passed, 0 failed, 0 skipped, 17 total");
  });
});
