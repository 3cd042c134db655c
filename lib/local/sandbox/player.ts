import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Script } from './script.ts';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Text, or binary frames. */
type Frames = string | Buffer;

/** How a wire writes a script: its frames in order, and its form of an error inside a stream. */
export interface WireWriter {
  contentType: string;
  opening(script: Script): Frames;
  /** Frames of a block, one a piece; pieces may be delayed. */
  block(script: Script, index: number): { start: Frames; pieces: Frames[]; stop: Frames };
  closing(script: Script): Frames;
  errorFrame(): Frames;
}

/** Plays a script into a response: with its delays, breaks and stalls, no faster than the reader reads. */
export async function play(script: Script, writer: WireWriter, response: ServerResponse): Promise<void> {
  const { directives } = script;
  const send = async (frames: Frames) => {
    if (frames.length === 0 || response.destroyed || response.write(frames)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    waiting.abort();
  };
  await sleep(directives.firstMs);
  response.writeHead(200, { 'content-type': writer.contentType, 'cache-control': 'no-cache' });
  await send(writer.opening(script));
  let played = 0;
  for (const index of script.blocks.keys()) {
    const { start, pieces, stop } = writer.block(script, index);
    await send(start);
    for (const piece of pieces) {
      if (response.destroyed) return;
      if (played === directives.breakAt) {
        response.destroy();
        return;
      }
      // Silence until the reader gives up.
      if (played === directives.stallAt) return;
      if (played === directives.failAt) {
        response.end(writer.errorFrame());
        return;
      }
      if (directives.delayMs > 0) await sleep(directives.delayMs);
      await send(piece);
      played += 1;
    }
    await send(stop);
  }
  response.end(writer.closing(script));
}
