import { fileURLToPath } from 'node:url';

/** The programs that a gateway starts beside itself. The tests' bundle of a gateway has another file in the place of this one. */
export const programs = {
  workers: fileURLToPath(new URL('./workers-main.ts', import.meta.url)),
  server: fileURLToPath(new URL('./server-main.ts', import.meta.url)),
  aws: fileURLToPath(new URL('./aws-server.ts', import.meta.url)),
};
