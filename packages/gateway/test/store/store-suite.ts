import { describe } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { agreementTests } from "./suite/agreement.ts";
import { conversationTests } from "./suite/conversations.ts";
import { keyTests } from "./suite/keys.ts";
import { responseTests } from "./suite/responses.ts";
import { runTests } from "./suite/runs.ts";
import type { CreateSubject } from "./suite/subject.ts";
import { togetherTests } from "./suite/together.ts";

export interface SuiteOptions {
  /** Whether several processes can open the same data. Default: true. */
  shared?: boolean;
}

/** Tests everything that the gateway needs of a store. */
export function testStore(name: string, create: CreateSubject, { shared = true }: SuiteOptions = {}): void {
  describe(name, () => {
    responseTests(create);
    runTests(create);
    conversationTests(create);
    keyTests(create);
    if (shared) togetherTests(create);
    agreementTests(create, runs(30, 1_000));
  });
}
