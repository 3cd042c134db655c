/** The default port of the API, and the default data directory. */
export const DEFAULT_PORT = '8787';
export const DEFAULT_DATA = '.local';
