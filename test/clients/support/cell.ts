import { test } from "vitest";
import type { capabilities } from "./capabilities.mjs";

type Capability = (typeof capabilities)[number];

/** A test of one cell of the matrix. */
export const can = (capability: Capability, behaviour: string, run: () => Promise<void>): void =>
  test(`${capability}: ${behaviour}`, run);

/** A cell in which the client goes a way of its own, whatever the server says; the difference goes to the page. */
export const differs = (capability: Capability, difference: string, run: () => Promise<void>): void =>
  test(`${capability}* ${difference}`, run);
