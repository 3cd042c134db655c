import { createParser } from 'eventsource-parser';

/** Reads events from chunks that may end anywhere. */
export function dataIn(pieces: readonly Uint8Array[]): string[] {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  const decoder = new TextDecoder();
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  parser.feed(decoder.decode());
  return data;
}
