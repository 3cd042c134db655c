/** Loaded before a gateway (node --import): what would wait for nearly a minute waits for half a second. */

const { setTimeout: wait } = globalThis;
globalThis.setTimeout = (work, ms, ...more) => wait(work, ms > 50_000 && ms <= 60_000 ? 500 : ms, ...more);
