import { describe, expect, it } from 'vitest';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';

const context = {
  target: { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters: [], quirks: {} },
  request: { model: 'm', messages: [], modalities: ['text', 'audio'] as const },
  estimatedInputTokens: 1,
};

/** Returns the pieces of sound in the answer of a provider that splits its base64 at this index. */
async function piecesOf(base64: string, splitAt: number): Promise<string[]> {
  async function* body(): AsyncGenerator<Buffer> {
    for (const data of [base64.slice(0, splitAt), base64.slice(splitAt)]) {
      const choices = [{ index: 0, delta: { audio: { id: 'a', data } } }];
      yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify({ choices })}\n\n`));
    }
    yield Buffer.from(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
  }
  const pieces: string[] = [];
  for await (const { events } of openaiChatWire.decode(body(), context)) {
    for (const { data } of events) {
      if (data.type === 'content_block_delta' && data.delta.type === 'audio_delta') pieces.push(data.delta.data);
    }
  }
  return pieces;
}

describe('a spoken answer', () => {
  it.each(['sound', 'sounds', 'a sound'])(
    'has only pieces that a client can decode, wherever it is split: %s',
    async (sound) => {
      const base64 = Buffer.from(sound).toString('base64');
      for (let splitAt = 0; splitAt <= base64.length; splitAt += 1) {
        const pieces = await piecesOf(base64, splitAt);

        expect(pieces.filter(({ length }) => length % 4 !== 0)).toEqual([]);
        expect(pieces.map((piece) => Buffer.from(piece, 'base64').toString()).join('')).toBe(sound);
      }
    },
  );
});
