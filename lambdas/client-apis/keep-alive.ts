/** A comment, which clients of server-sent events skip. */
export const KEEP_ALIVE = ': keep-alive\n\n';
