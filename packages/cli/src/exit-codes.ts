/** The exit codes of the process. */
export const exitCodes = { ok: 0, general: 1, usage: 2, config: 3, api: 4, network: 5 } as const;
