/**
 * Options of Node for the server program. They limit the memory for new objects (semi-space). Without the limit, it
 * grows to 128 MB during many streams, although their live objects take less than 20 MB.
 */
export const serverOptions = ['--enable-source-maps', '--max-semi-space-size=16'];
