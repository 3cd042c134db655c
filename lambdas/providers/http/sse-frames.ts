import { UpstreamError } from './upstream-error.ts';

/**
 * Splits a body into frames of server-sent events as received, each with the empty line at its end. Frames with only
 * comments are dropped.
 */
export class SseFrameSplitter {
  readonly #maxFrameBytes: number;
  #fragments: Buffer[] = [];
  #fragmentBytes = 0;
  /** Length of the current line, in bytes. A line that is only a carriage return counts as empty. */
  #lineBytes = 0;
  #isCommentLine = false;
  /** Whether the current frame has a non-empty line. If not, an empty line does not end it. */
  #hasContent = false;
  /** Whether the current frame has a line that is not a comment. */
  #hasField = false;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  get pendingBytes(): number {
    return this.#fragmentBytes;
  }

  /**
   * Adds a chunk of the body.
   * @returns the frames that this chunk completes
   * @throws {UpstreamError} if an incomplete frame exceeds the limit
   */
  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let frameStart = 0;
    let lineStart = 0;
    for (let feed = nextLineFeed(chunk, 0); feed !== -1; feed = nextLineFeed(chunk, lineStart)) {
      this.#addToLine(chunk, lineStart, feed);
      lineStart = feed + 1;
      if (this.#lineBytes > 0) {
        this.#hasContent = true;
        this.#hasField ||= !this.#isCommentLine;
      } else if (this.#hasContent) {
        if (this.#hasField) frames.push(this.#joined(chunk.subarray(frameStart, lineStart)));
        this.#startFrame();
        frameStart = lineStart;
      }
      this.#lineBytes = 0;
    }
    this.#addToLine(chunk, lineStart, chunk.length);
    this.#keep(chunk.subarray(frameStart));
    return frames;
  }

  /** Returns the bytes of the incomplete frame at the end. */
  rest(): Buffer {
    return Buffer.concat(this.#fragments);
  }

  #addToLine(chunk: Buffer, start: number, end: number): void {
    const bytes = countLineBytes(chunk, start, end);
    if (this.#lineBytes === 0 && bytes > 0) this.#isCommentLine = chunk[start] === COLON;
    this.#lineBytes += bytes;
  }

  #joined(tail: Buffer): Buffer {
    return this.#fragments.length === 0 ? tail : Buffer.concat([...this.#fragments, tail]);
  }

  #startFrame(): void {
    this.#hasContent = this.#hasField = false;
    if (this.#fragmentBytes === 0) return;
    this.#fragments = [];
    this.#fragmentBytes = 0;
  }

  #keep(fragment: Buffer): void {
    if (fragment.length === 0) return;
    this.#fragmentBytes += fragment.length;
    if (this.#fragmentBytes > this.#maxFrameBytes)
      throw new UpstreamError('malformed', 'An event of the stream is too large');
    this.#fragments.push(fragment);
  }
}

const LINE_FEED = 0x0a;
const COLON = 0x3a;
/** Short lines are searched for a line feed in a loop, which is faster than `indexOf`. */
const SHORT_LINE_BYTES = 48;

function nextLineFeed(chunk: Buffer, from: number): number {
  const near = Math.min(chunk.length, from + SHORT_LINE_BYTES);
  for (let index = from; index < near; index += 1) if (chunk[index] === LINE_FEED) return index;
  return near === chunk.length ? -1 : chunk.indexOf(LINE_FEED, near);
}

function countLineBytes(chunk: Buffer, start: number, end: number): number {
  const bytes = end - start;
  return bytes === 1 && chunk[start] === 0x0d ? 0 : bytes;
}

/**
 * Returns the `data:` lines of a frame, joined; undefined if the frame has no data, for example because it only keeps
 * the connection open. Some relays send `null` for this purpose (https://github.com/anomalyco/opencode/issues/50314).
 */
export function frameData(frame: Buffer): string | undefined {
  const decoded = frame.toString('utf8');
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  let data: string | undefined;
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    if (text.startsWith('data:', start)) {
      const line = dataOf(text.slice(start, end));
      data = data === undefined ? line : `${data}\n${line}`;
    }
    start = end + 1;
  }
  return data && data.trim() !== 'null' ? data : undefined;
}

const BYTE_ORDER_MARK = 0xfeff;

function dataOf(line: string): string {
  const data = line.charCodeAt(5) === 0x20 ? line.slice(6) : line.slice(5);
  return data.endsWith('\r') ? data.slice(0, -1) : data;
}

const EVENT_LINE = Buffer.from('event:');

/** Returns whether the frame's first line is its `event:` line. */
export function hasEventLine(frame: Buffer): boolean {
  return EVENT_LINE.every((byte, index) => frame[index] === byte);
}
