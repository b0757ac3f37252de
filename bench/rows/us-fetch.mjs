import { antiphon } from "./us.mjs";

export default antiphon("antiphon (`fetch`)", () => ({ fetch: globalThis.fetch }));
