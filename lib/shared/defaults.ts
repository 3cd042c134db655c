export const DEFAULT_PORT = '8787';
export const DEFAULT_DATA = '.local';
