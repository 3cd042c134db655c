import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { blanks, isThereWithin, wholeBody } from '../../lambdas/api/parts/whole-body.ts';
import { AnswerStream } from '../../lambdas/http/answer-stream.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';

const quickly = { ...blanks, afterMs: 20 };

const bodyOf = (answer: Promise<object>) => new AnswerStream(wholeBody(answer, 'req_1'), quickly);

async function read(body: AnswerStream, onPiece?: (count: number) => void): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of body) {
    pieces.push(String(piece));
    onPiece?.(pieces.length);
  }
  return pieces;
}

async function failingAfter(milliseconds: number): Promise<never> {
  await sleep(milliseconds);
  throw new GatewayError('provider_unavailable', 'It broke off.');
}

describe('the body of a slow answer', () => {
  it('begins with blanks, followed by the answer, and is valid JSON', async () => {
    const answer = Promise.withResolvers<object>();
    const pieces = await read(bodyOf(answer.promise), (count) => count === 3 && answer.resolve({ id: 'gen-1' }));
    expect(pieces.slice(0, 3)).toEqual([' ', ' ', ' ']);
    expect(JSON.parse(pieces.join(''))).toEqual({ id: 'gen-1' });
  });

  it('is an error envelope if the answer fails', async () => {
    const pieces = await read(bodyOf(failingAfter(50)));
    expect(JSON.parse(pieces.join(''))).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: 'It broke off.' },
      request_id: 'req_1',
    });
  });

  it('ends only after the settlement, even if the client has disconnected', async () => {
    let isSettled = false;
    const answer = sleep(80).then(() => {
      isSettled = true;
      return {};
    });
    const body = bodyOf(answer);
    body.resume();
    await sleep(30);
    body.destroy();
    await body.settled;
    expect(isSettled).toBe(true);
  });
});

describe('isThereWithin, for an answer that', () => {
  it.each([
    ['is there in time', () => sleep(10), true],
    ['fails in time', () => failingAfter(10), true],
    ['takes longer', () => sleep(2_000), false],
  ])('%s', async (_, answer, expected) => {
    expect(await isThereWithin(answer(), 100)).toBe(expected);
  });
});
