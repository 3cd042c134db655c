import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { GoogleGeminiQuirks } from '../../catalog/quirk-schemas.ts';
import type { MessagesWire, WireRequest } from '../wire.ts';
import { decodeGeminiDocument, decodeGeminiStream } from './decode.ts';
import { encodeGeminiRequest, promptFields } from './encode.ts';
import type { GeminiTarget } from './target.ts';
import { encodeMusicRequest, makesMusic } from './music.ts';
import { mayThink } from './thinking.ts';

export const googleGeminiWire: MessagesWire<GoogleGeminiQuirks> = {
  encode: (request, target) =>
    makesMusic(request)
      ? geminiPost(target, 'generateContent', encodeMusicRequest(request, target))
      : geminiPost(target, 'streamGenerateContent?alt=sse', encodeGeminiRequest(request, target)),
  encodeCount(request, target) {
    switch (target.quirks.count_tokens) {
      case undefined:
        return undefined;
      case 'contents':
        return geminiPost(target, 'countTokens', { ...promptFields(request, target), toolConfig: undefined });
      case 'request': {
        const generateContentRequest = { model: `models/${target.upstreamModel}`, ...promptFields(request, target) };
        return geminiPost(target, 'countTokens', { generateContentRequest });
      }
    }
  },
  readCount: (answer) => (answer as { totalTokens?: unknown } | null)?.totalTokens,
  hiddenReasoning: (request, target, maxOutputTokens) => (mayThink(request, target) ? maxOutputTokens : 0),
  decode: decodeGeminiStream,
  decodeWhole: decodeGeminiDocument,
};

function geminiPost({ upstreamModel }: GeminiTarget, method: string, body: unknown): WireRequest {
  return {
    path: `/models/${upstreamModel}:${method}`,
    headers: { 'content-type': 'application/json' },
    body: wellFormedJson(body),
  };
}
