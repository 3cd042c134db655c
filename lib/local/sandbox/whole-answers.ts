import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Directives } from './directives.ts';
import { sendJson } from './send-json.ts';

/** Response that is not streamed, with its HTTP status. */
export interface SandboxAnswer {
  status: number;
  body: object;
  /** Faults of the response's delivery that a directive requests. */
  delivery?: Pick<Directives, 'firstMs' | 'hang' | 'breakAt'>;
}

/** Sends the response: at once, late, only half of it, or never. */
export async function deliver({ status, body, delivery }: SandboxAnswer, response: ServerResponse): Promise<void> {
  if (delivery?.hang) return;
  await sleep(delivery?.firstMs ?? 0);
  if (delivery?.breakAt === undefined) {
    sendJson(response, status, body);
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

/** Returns the error that a directive requests. */
export function requestedFailure(status: number): SandboxAnswer {
  return { status, body: { error: { message: `The sandbox was asked to answer with status ${status}` } } };
}

/**
 * Functions that answer requests without streaming, by path. They return undefined if the body belongs to another
 * modality.
 */
type WholeAnswers = Record<string, (body: never) => SandboxAnswer | Promise<SandboxAnswer> | undefined>;

const folder = new URL('whole/', import.meta.url);

/** Loads the functions of all modalities from the files in whole/. */
export async function loadWholeAnswers(): Promise<WholeAnswers> {
  const loaded = readdirSync(folder).map(async (file) => {
    const { wholeAnswers } = (await import(new URL(file, folder).href)) as { wholeAnswers: WholeAnswers };
    return wholeAnswers;
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as WholeAnswers;
}
