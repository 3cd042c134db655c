/**
 * Options of Node for the server program. A semi-space is half of the memory for new objects. With Node's default of 64
 * MB, this memory grows to 128 MB during many streams, although their live objects take less than 20 MB. 16 MB is
 * enough for streams: larger semi-spaces only make collections rarer.
 */
export const serverOptions = ['--enable-source-maps', '--max-semi-space-size=16'];
