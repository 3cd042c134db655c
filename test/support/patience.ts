/**
 * Maximum time in ms that a test waits for something that will happen. A busy machine may need most of this time. A
 * test of speed has a limit of its own.
 */
export const PATIENCE_MS = 60_000;
