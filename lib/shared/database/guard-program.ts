import { fileURLToPath } from 'node:url';

/** Path of the program that ends a database together with its gateway. */
export const guardProgram = fileURLToPath(new URL('./guard-main.ts', import.meta.url));
