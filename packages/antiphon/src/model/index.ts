export type * from "./content.ts";
export type * from "./events.ts";
export type * from "./hosted-items.ts";
export type * from "./items.ts";
export type * from "./request.ts";
export type * from "./response.ts";
export type * from "./tools.ts";
export * from "./construct.ts";
export * from "./guards.ts";
