import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listen, type Listening } from './listen.ts';

/** How a recording is cut: at random, after every byte, or not at all. */
export type Cut = 'random' | 'bytes' | 'whole';

/** Answers a request for the model "<n>.<cut>" with the n-th stream, cut that way. */
export async function startReplay(streams: string[]): Promise<Listening> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
      const [index, cut] = model.split('.') as [string, Cut];
      response.socket!.setNoDelay(true);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await writeInPieces(response, Buffer.from(streams[Number(index)]!), cut);
      response.end();
    })();
  });
  return listen(server);
}

async function writeInPieces(response: ServerResponse, bytes: Buffer, cut: Cut): Promise<void> {
  for (const piece of pieces(bytes, cut)) {
    if (!response.write(piece)) await once(response, 'drain');
    if (cut !== 'whole') await nextTurn();
  }
}

/** The same bytes in awkward pieces; most are cut in the middle of a line, an event or a letter. */
function* pieces(bytes: Buffer, cut: Cut): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const size = cut === 'whole' ? bytes.length : cut === 'bytes' ? 1 : 1 + Math.floor(Math.random() ** 2 * 700);
    yield bytes.subarray(start, start + size);
    start += size;
  }
}
