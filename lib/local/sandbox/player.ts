import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { momentsOf, type SandboxFraming, type WireEvent, type WireWriter } from './answer.ts';
import { withInjectedFaults } from './fault-injection.ts';
import type { Script } from './script.ts';
import type { WireFields } from './wire-fields.ts';

/** Pause between the halves of a cut event, so that a reader does not receive both halves together. */
const CUT_MS = 3;

/** Sends a script as a response, with the delays and faults of its directives. */
export async function play(
  script: Script,
  writer: WireWriter,
  fields: WireFields,
  response: ServerResponse,
): Promise<void> {
  const { directives } = script;
  const { framing } = writer;
  await sleep(directives.firstMs);
  if (directives.resetAt === 0) {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(200, { 'content-type': framing.contentType, 'cache-control': 'no-cache' });
  const send = (events: WireEvent[]) =>
    directives.cut
      ? sendCut(response, framing, events)
      : writeWithBackpressure(response, Buffer.concat(events.map(framing.encode)));
  let played = 0;
  for (const { part, events } of withInjectedFaults(momentsOf(script, writer), script, fields)) {
    if (response.destroyed) return;
    if (part === 'piece') {
      if (played === directives.garbageAt) await writeWithBackpressure(response, framing.garbage);
      if (endsAt(played, script, writer, response)) return;
      if (directives.delayMs > 0) await sleep(directives.delayMs);
      played += 1;
    }
    await send(events);
  }
  response.end();
}

/** @returns whether a directive has ended the answer after `played` pieces */
function endsAt(played: number, { directives }: Script, writer: WireWriter, response: ServerResponse): boolean {
  switch (played) {
    case directives.breakAt:
      response.destroy();
      return true;
    case directives.resetAt:
      response.socket?.resetAndDestroy();
      return true;
    case directives.stallAt:
      // The stream stays open and silent.
      return true;
    case directives.failAt:
      response.end(writer.framing.encode(writer.error()));
      return true;
    default:
      return false;
  }
}

async function writeWithBackpressure(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || response.destroyed || response.write(bytes)) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  waiting.abort();
}

async function sendCut(response: ServerResponse, { encode }: SandboxFraming, events: WireEvent[]): Promise<void> {
  for (const event of events) {
    const bytes = encode(event);
    const half = placeOfCut(bytes, event);
    await writeWithBackpressure(response, bytes.subarray(0, half));
    await sleep(CUT_MS);
    await writeWithBackpressure(response, bytes.subarray(half));
    await sleep(CUT_MS);
  }
}

/** Returns the place inside an event's first multi-byte character, or else the middle of the event. */
function placeOfCut(bytes: Buffer, event: WireEvent): number {
  const [character] = /[^\0-\x7f]/u.exec(JSON.stringify(event)) ?? [];
  const start = character === undefined ? -1 : bytes.indexOf(character);
  return start === -1 ? bytes.length >> 1 : start + 1;
}
