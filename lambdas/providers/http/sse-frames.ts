/**
 * Cuts a byte stream into server-sent-event frames without decoding it, so that a pass-through can forward the bytes it
 * received. A frame is everything up to and including its empty line.
 *
 * Cost: every byte is looked at once; fragments of a frame are joined once, when it is complete.
 */
export class SseFrameSplitter {
  readonly #maxFrameBytes: number;
  #fragments: Buffer[] = [];
  #fragmentBytes = 0;
  /** Bytes since the last line feed, not counting a carriage return: 0 means that a line feed now ends the frame. */
  #lineBytes = 0;
  /** A frame has a line before its empty line; blank lines between frames belong to the next one. */
  #hasContent = false;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** @returns the frames completed by this chunk. @throws {RangeError} when a frame outgrows the bound. */
  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let frameStart = 0;
    let lineStart = 0;
    for (let feed = chunk.indexOf(0x0a); feed !== -1; feed = chunk.indexOf(0x0a, lineStart)) {
      const lineBytes = this.#lineBytes + countLineBytes(chunk, lineStart, feed);
      lineStart = feed + 1;
      this.#lineBytes = 0;
      if (lineBytes > 0) {
        this.#hasContent = true;
      } else if (this.#hasContent) {
        frames.push(this.#complete(chunk.subarray(frameStart, lineStart)));
        frameStart = lineStart;
      }
    }
    this.#lineBytes += countLineBytes(chunk, lineStart, chunk.length);
    this.#keep(chunk.subarray(frameStart));
    return frames;
  }

  /** What came after the last complete frame. */
  rest(): Buffer {
    return Buffer.concat(this.#fragments);
  }

  #complete(tail: Buffer): Buffer {
    this.#hasContent = false;
    if (this.#fragments.length === 0) return tail;
    const frame = Buffer.concat([...this.#fragments, tail]);
    this.#fragments = [];
    this.#fragmentBytes = 0;
    return frame;
  }

  #keep(fragment: Buffer): void {
    if (fragment.length === 0) return;
    this.#fragmentBytes += fragment.length;
    if (this.#fragmentBytes > this.#maxFrameBytes) throw new RangeError('an event of the stream is too large');
    this.#fragments.push(fragment);
  }
}

function countLineBytes(chunk: Buffer, start: number, end: number): number {
  const bytes = end - start;
  return bytes === 1 && chunk[start] === 0x0d ? 0 : bytes;
}

/** The data of one frame: its `data:` lines joined by line feeds, or undefined when it has none. */
export function frameData(frame: Buffer): string | undefined {
  const text = frame.toString('utf8').replace(/^\uFEFF/, '');
  const end = text.indexOf('\n');
  // Nearly every frame is one line of data and its empty line.
  if (end !== -1 && text.startsWith('data:') && text.length - end <= MAX_ENDING) return dataOf(text.slice(0, end));
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('data:')) lines.push(dataOf(line));
  }
  return lines.length > 0 ? lines.join('\n') : undefined;
}

/** A line feed, and an empty line: no line of data fits in there. */
const MAX_ENDING = 3;

function dataOf(line: string): string {
  const data = line.charCodeAt(5) === 0x20 ? line.slice(6) : line.slice(5);
  return data.endsWith('\r') ? data.slice(0, -1) : data;
}

const EVENT_LINE = Buffer.from('event:');

/** Whether the first line names the event; every upstream that names it does so there. */
export function hasEventLine(frame: Buffer): boolean {
  return frame.subarray(0, EVENT_LINE.length).equals(EVENT_LINE);
}
