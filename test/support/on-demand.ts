/**
 * Resources of a test run (parts) that take seconds to create, such as a bundle. The run's main process creates each
 * part once, when a process of the run first requests it over HTTP. Most runs of a single file need no parts.
 */

import { createServer } from 'node:http';
import { listen } from './listen.ts';

/** Environment variable with the address of the server that offers the parts. The run's processes inherit it. */
const ADDRESS = 'GATEWAY_TEST_PARTS';

type Parts = Record<string, () => Promise<unknown>>;

/**
 * Offers these resources (parts) to all processes of this test run.
 * @returns a function that stops the offer
 */
export async function offerOnDemand(parts: Parts): Promise<() => Promise<void>> {
  const made = new Map<string, Promise<unknown>>();
  const server = await listen(
    createServer((request, response) => {
      const name = request.url!.slice(1);
      if (!made.has(name)) made.set(name, parts[name]!());
      made.get(name)!.then(
        (part) => response.end(JSON.stringify(part ?? null)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    }),
  );
  process.env[ADDRESS] = server.url;
  return server.stop;
}

/** Whether this process belongs to a test run that offers resources (parts). */
export function isOffered(): boolean {
  return process.env[ADDRESS] !== undefined;
}

/**
 * Requests a resource (part) of the test run by its name.
 * @throws {Error} if the part could not be created
 */
export async function onDemand<Part>(name: string): Promise<Part> {
  const response = await fetch(`${process.env[ADDRESS]}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Part;
}
