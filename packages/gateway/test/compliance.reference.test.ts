import { specification } from "../../../test/support/specification.ts";
import { complianceSuite } from "./support/compliance-suite.ts";

complianceSuite("the gateway's answers match the specification", specification());
