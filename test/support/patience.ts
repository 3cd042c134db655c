/** Maximum time in ms that a test waits for an event on a busy machine. */
export const PATIENCE_MS = 60_000;
