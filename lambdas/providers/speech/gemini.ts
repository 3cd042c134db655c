/** Text to speech with Gemini models, which stream raw 24 kHz audio in JSON. */

import type { GeminiSpeechQuirks } from '../../catalog/speech-quirks.ts';
import type { WireUsage } from '../../messages/types.ts';
import { isRecord, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { statesError } from '../faults/error-detection.ts';
import { geminiRefusal, reasonName } from '../google-gemini/finish-reason.ts';
import { storeField } from '../google-gemini/store-field.ts';
import { withGeminiTier } from '../google-gemini/usage.ts';
import { jsonEvents } from '../http/json-events.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import { voiceId, type SpeechCodec, type SpeechPart, type SpokenTask } from './codec.ts';
import { soundFromBase64, withHeader } from './sound.ts';
import { wavHeader } from '../../platform/wav-header.ts';

/**
 * Maximum size of an event. All speech may arrive in one event: 16,384 tokens are eleven minutes, or 42 MB of base64.
 */
const MAX_GEMINI_EVENT_BYTES = 48 * 1024 * 1024;
const GEMINI_SAMPLE_RATE = 24_000;
const RAW_SOUND = /^audio\/(?:l16|pcm)\b/i;
const OTHER_RATE = /\brate=(?!24000\b)\d/i;

export const geminiSpeech: SpeechCodec<GeminiSpeechQuirks> = {
  formats: ['wav', 'pcm'],
  requestFor: (task, { upstreamModel, maxOutputTokens, quirks }) =>
    jsonRequest(`/models/${upstreamModel}:streamGenerateContent?alt=sse`, {
      contents: [{ role: 'user', parts: [spokenPart(task, quirks)] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voiceId(task.voice) } } },
      },
      ...storeField(quirks),
    }),
  decode({ body }, { format }) {
    const parts = geminiSound(jsonEvents(body, MAX_GEMINI_EVENT_BYTES));
    return format === 'wav' ? withHeader(wavHeader(GEMINI_SAMPLE_RATE), parts) : parts;
  },
};

function spokenPart({ text, instructions }: SpokenTask, { instructions_form: form }: GeminiSpeechQuirks): object {
  if (instructions === undefined) return { text };
  return form === 'style' ? { text, speechMetadata: { style: instructions } } : { text: `${instructions}:\n${text}` };
}

async function* geminiSound(events: AsyncIterable<unknown>): AsyncGenerator<SpeechPart, void> {
  for await (const event of events) {
    if (statesError(event)) {
      yield { error: event };
      return;
    }
    const { candidates, usageMetadata } = recordOrEmpty(event);
    const candidate = recordOrEmpty(Array.isArray(candidates) ? candidates[0] : undefined);
    for (const sound of soundOf(candidate)) yield { event: sound };
    const usage = isRecord(usageMetadata) ? geminiSpeechUsage(usageMetadata) : undefined;
    if (usage) yield { usage };
    const refusal = geminiRefusal(event);
    if (refusal !== undefined) {
      yield { error: { code: 400, message: `The model refused to speak (${refusal})` } };
      return;
    }
    const { finishReason: reason } = candidate;
    if (typeof reason !== 'string') continue;
    if (reason === 'STOP' || reason === 'MAX_TOKENS') return;
    throw new UpstreamError('broken', `The provider ended its speech with the reason ${reasonName(reason)}`);
  }
  throw new UpstreamError('broken', 'The provider ended its speech without a finish reason');
}

function* soundOf(candidate: Record<string, unknown>): Generator<Buffer, void> {
  const { parts } = recordOrEmpty(candidate['content']);
  if (!Array.isArray(parts)) return;
  for (const part of parts) {
    const { inlineData } = recordOrEmpty(part);
    if (inlineData === undefined) continue;
    const { mimeType, data } = recordOrEmpty(inlineData);
    if (typeof mimeType !== 'string' || !RAW_SOUND.test(mimeType) || OTHER_RATE.test(mimeType)) {
      throw new UpstreamError('malformed', 'The provider sent sound that is not raw 24 kHz sound');
    }
    if (data !== '') yield soundFromBase64(data);
  }
}

/** Converts the usage. All output tokens are audio tokens. Zero tokens count as not reported. */
function geminiSpeechUsage(usage: Record<string, unknown>): WireUsage | undefined {
  const { promptTokenCount, candidatesTokenCount } = usage;
  if (typeof candidatesTokenCount !== 'number' || candidatesTokenCount === 0) return undefined;
  const counts = {
    input_tokens: typeof promptTokenCount === 'number' ? promptTokenCount : null,
    output_tokens: candidatesTokenCount,
    output_tokens_details: { audio_tokens: candidatesTokenCount },
  };
  return withGeminiTier(counts, usage);
}
