import { openApiCheck } from "../../../test/support/openapi-check.ts";
import { openapi } from "../src/routes/openapi.ts";
import { complianceSuite } from "./support/compliance-suite.ts";

const answersOf = (path: string): string => `/paths/~1v1~1${path}/post/responses/200/content`;

complianceSuite(
  "the gateway's answers match its own description",
  openApiCheck(openapi(), {
    response: `${answersOf("responses")}/application~1json/schema`,
    event: `${answersOf("responses")}/text~1event-stream/schema`,
    compaction: `${answersOf("responses~1compact")}/application~1json/schema`,
    socketError: "/components/schemas/Error",
  }),
);
