import { Readable } from 'node:stream';
import { pauseAfterSlice } from '../platform/concurrency/time-slices.ts';
import { jsonHeaders, type HttpResponse } from './response.ts';

const PIECE_CHARACTERS = 64 * 1024;

interface LongList {
  name: string;
  /** Elements of the list. An iterable may create each element when it is written. */
  elements: Iterable<object>;
}

/**
 * Returns JSON with a long list as its last field. The list is written in pieces, so that its whole text is never in
 * memory, and other requests are handled in between.
 */
export function listResponse(fields: object, list: LongList, headers: Record<string, string> = {}): HttpResponse {
  return { statusCode: 200, headers: { ...jsonHeaders, ...headers }, body: Readable.from(piecesOf(fields, list)) };
}

async function* piecesOf(fields: object, { name, elements }: LongList): AsyncGenerator<string, void> {
  let piece = `${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(name)}:[`;
  let separator = '';
  for (const element of elements) {
    piece += separator + JSON.stringify(element);
    separator = ',';
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
    const pause = pauseAfterSlice();
    if (pause) await pause;
  }
  yield `${piece}]}`;
}
