import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseFraming } from '../../lambdas/providers/anthropic/framing.ts';
import { frameData, SseFrameSplitter } from '../../lambdas/providers/http/sse-frames.ts';
import { UpstreamError } from '../../lambdas/providers/http/upstream-error.ts';

const ending = fc.constantFrom('\n', '\r\n');
const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.constantFrom('event: ping', ': keep-alive', 'data:', 'data:{"a":"Привет 🌍"}'),
);
const frame = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), ending)
  .map(([lines, end]) => lines.map((text) => text + end).join('') + end);

const COLON = 0x3a;
const isOfComments = (text: string) => text.split(/\r?\n/).every((row) => row === '' || row.startsWith(':'));

function splitAt(bytes: Buffer, cuts: number[]): Buffer[] {
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

describe('SseFrameSplitter', () => {
  it('finds the same frames at any cuts of the bytes', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (frames, cuts) => {
        const splitter = new SseFrameSplitter(1_000_000);
        const found = splitAt(Buffer.from(frames.join('')), cuts).flatMap((piece) => splitter.push(piece));
        expect(found.map((bytes) => bytes.toString())).toEqual(frames.filter((text) => !isOfComments(text)));
        expect([splitter.rest().length, splitter.pendingBytes]).toEqual([0, 0]);
      }),
    );
  });

  it('loses only the bytes of comments: frames and remainder add up to the input', () => {
    const anyByte = fc.uint8Array({ maxLength: 300 }).filter((bytes) => !bytes.includes(COLON));
    fc.assert(
      fc.property(anyByte, fc.array(fc.nat(), { maxLength: 8 }), (bytes, cuts) => {
        const splitter = new SseFrameSplitter(1_000_000);
        const found = splitAt(Buffer.from(bytes), cuts).flatMap((piece) => splitter.push(piece));
        expect(Buffer.concat([...found, splitter.rest()])).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('refuses a frame above its size limit', () => {
    const splitter = new SseFrameSplitter(10);
    splitter.push(Buffer.from('data: 1\n\n'));
    expect(() => splitter.push(Buffer.from('data: 12345678901'))).toThrow(UpstreamError);
  });

  it('joins data lines, with or without a space', () => {
    expect(frameData(Buffer.from('event: x\r\ndata: {"a":\r\ndata:1}\r\n\r\n'))).toBe('{"a":\n1}');
    expect(frameData(Buffer.from(': only a comment\n\n'))).toBeUndefined();
  });

  it.each(['null', 'null\r', ' null '])('reads the data %j as no event', (data) => {
    expect(frameData(Buffer.from(`data: ${data}\n\n`))).toBeUndefined();
  });
});

it.each([
  ['{"text":"é"}', true],
  ['{"text":"\u2028"}', false],
])('the event %j of the Messages API is forwarded as it came: %s', (json, isForwarded) => {
  const frame = `event: x\ndata: ${json}\n\n`;
  const [read] = new SseFraming().read(Buffer.from(frame));
  expect(read).toEqual({ json, raw: isForwarded ? Buffer.from(frame) : undefined });
});
