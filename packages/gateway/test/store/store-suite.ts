import { describe } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { agreementTests } from "./suite/agreement.ts";
import { conversationTests } from "./suite/conversations.ts";
import { keyTests } from "./suite/keys.ts";
import { responseTests } from "./suite/responses.ts";
import { runTests } from "./suite/runs.ts";
import type { CreateSubject } from "./suite/subject.ts";
import { togetherTests } from "./suite/together.ts";

/** What a store may leave out, each with the reason. */
export interface Skips {
  /** Why there is no second way to the same data. */
  together?: string;
}

/** Everything that the gateway relies on, whatever the store. */
export function testStore(name: string, create: CreateSubject, skips: Skips = {}): void {
  describe(name, () => {
    responseTests(create);
    runTests(create);
    conversationTests(create);
    keyTests(create);
    togetherTests(create, skips.together);
    agreementTests(create, runs(30, 1_000));
  });
}
