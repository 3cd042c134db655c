/**
 * Resources of a test run (parts) that take seconds to create, such as a bundle. The run's main process creates each
 * part when a process of the run first requests it over HTTP.
 */

import { createServer } from 'node:http';
import { listen } from './listen.ts';

/** Address of the server that offers the parts, for the run's processes. */
const ADDRESS = 'GATEWAY_TEST_PARTS';

type Parts = Record<string, () => Promise<unknown>>;

/** Offers parts to the processes of this test run, and returns a function that stops the offer. */
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

/** Whether this process belongs to a run that offers parts. */
export function isOffered(): boolean {
  return process.env[ADDRESS] !== undefined;
}

/**
 * Requests a part by its name.
 * @throws {Error} if the part could not be created
 */
export async function onDemand<Part>(name: string): Promise<Part> {
  const response = await fetch(`${process.env[ADDRESS]}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Part;
}
