/** The port of the API, and the directory that data is kept in, if no flag names another. */
export const DEFAULT_PORT = '8787';
export const DEFAULT_DATA = '.local';
