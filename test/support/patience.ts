/** Longest wait of a test in ms for something that will happen. A busy machine may need most of it; a test of speed has a bound of its own. */
export const PATIENCE_MS = 60_000;
