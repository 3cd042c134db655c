import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Directives } from './directives.ts';
import { sendJson } from './send-json.ts';

export interface SandboxAnswer {
  status: number;
  body: object;
  /** Faults that directives request: a late, interrupted or missing response. */
  delivery?: Pick<Directives, 'firstMs' | 'hang' | 'breakAt'> & Partial<Directives>;
  /** Content that is sent piece by piece instead of the body. */
  pieces?: readonly Buffer[];
  contentType?: string;
}

/** Sends the response as its directives require: late, incomplete, or never. */
export async function deliver(answer: SandboxAnswer, response: ServerResponse): Promise<void> {
  const { status, body, delivery, pieces, contentType } = answer;
  if (delivery?.hang) return;
  await sleep(delivery?.firstMs ?? 0);
  if (pieces) {
    response.writeHead(status, { 'content-type': contentType });
    await sendPieces(pieces, delivery ?? {}, response);
    return;
  }
  if (delivery?.breakAt === undefined) {
    sendJson(response, status, body);
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

async function sendPieces(
  pieces: readonly Buffer[],
  { delayMs = 0, breakAt, resetAt, stallAt, garbageAt }: Partial<Directives>,
  response: ServerResponse,
): Promise<void> {
  for (const [at, piece] of pieces.entries()) {
    // A stalled stream stays open and silent.
    if (response.destroyed || at === stallAt) return;
    if (at === breakAt || at === resetAt) {
      if (at === breakAt) response.destroy();
      else response.socket?.resetAndDestroy();
      return;
    }
    const sent = at === garbageAt ? Buffer.from('data: {"type":\n\n') : piece;
    if (!response.write(sent)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (delayMs > 0) await sleep(delayMs);
  }
  response.end();
}

/** Returns the error that a directive requests. */
export function requestedFailure(status: number): SandboxAnswer {
  return { status, body: { error: { message: `The sandbox was asked to answer with status ${status}` } } };
}

/** Functions by path, which return undefined for a request that they do not handle. */
type WholeAnswers = Record<string, (body: never) => SandboxAnswer | Promise<SandboxAnswer> | undefined>;

const folder = new URL('whole/', import.meta.url);

export async function loadWholeAnswers(): Promise<WholeAnswers> {
  const loaded = readdirSync(folder).map(async (file) => {
    const { wholeAnswers } = (await import(new URL(file, folder).href)) as { wholeAnswers: WholeAnswers };
    return wholeAnswers;
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as WholeAnswers;
}
