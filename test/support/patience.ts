/**
 * Maximum time in ms that a test waits for an event. A busy machine may need most of this time. Tests of speed have
 * their own limits.
 */
export const PATIENCE_MS = 60_000;
