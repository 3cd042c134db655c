/** Default port of the API. DEFAULT_DATA is the default data directory. */
export const DEFAULT_PORT = '8787';
export const DEFAULT_DATA = '.local';
