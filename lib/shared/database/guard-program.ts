import { fileURLToPath } from 'node:url';

/** The program that ends a database with its gateway. The tests' bundle of a gateway has another file in the place of this one. */
export const guardProgram = fileURLToPath(new URL('./guard-main.ts', import.meta.url));
