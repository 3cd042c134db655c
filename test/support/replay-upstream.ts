import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listen, type Listening } from './listen.ts';

/** Whether a recording is cut at random positions, after every byte, or not at all. */
export type Cut = 'random' | 'bytes' | 'whole';

export interface Replayed {
  bytes: Buffer;
  contentType: string;
}

/** Returns a model name with the index of a recording and its cuts. */
export function replayModel(index: number, cut: Cut): string {
  return `recording-${index}-${cut}`;
}

/** Starts a server that plays the recording in the name of the model. */
export async function startReplay(recordings: Replayed[]): Promise<Listening> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const said = `${request.url} ${Buffer.concat(chunks).toString()}`;
      const [, index, cut] = /recording-(\d+)-(random|bytes|whole)/.exec(said) as unknown as [string, string, Cut];
      const { bytes, contentType } = recordings[Number(index)]!;
      response.socket!.setNoDelay(true);
      response.writeHead(200, { 'content-type': contentType });
      await writeInPieces(response, bytes, cut);
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

/** Cuts a recording into pieces. Most random positions are within a line, an event or a character. */
function* pieces(bytes: Buffer, cut: Cut): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const size = cut === 'whole' ? bytes.length : cut === 'bytes' ? 1 : 1 + Math.floor(Math.random() ** 2 * 700);
    yield bytes.subarray(start, start + size);
    start += size;
  }
}
