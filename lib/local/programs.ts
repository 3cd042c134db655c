import { fileURLToPath } from 'node:url';

/** Programs that a gateway starts as processes. */
export const programs = {
  workers: fileURLToPath(new URL('./workers-main.ts', import.meta.url)),
  server: fileURLToPath(new URL('./server-main.ts', import.meta.url)),
  aws: fileURLToPath(new URL('./aws-server.ts', import.meta.url)),
};
