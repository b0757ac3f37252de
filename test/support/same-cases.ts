import fc from "fast-check";

// Whether `npm test` passes must depend on the code alone; `npm run soak` looks for new cases each time.
fc.configureGlobal({ seed: 20_260_424 });
