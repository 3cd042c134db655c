/** Comment in a stream, which keeps the connection open. Clients of server-sent events skip it. */
export const KEEP_ALIVE = ': keep-alive\n\n';
