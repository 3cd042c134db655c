/**
 * Maximum time in ms that a test waits for an event. A busy machine may need most of it. A test of speed has its own
 * limit.
 */
export const PATIENCE_MS = 60_000;
