/** Text to speech with OpenAI's API, which reports usage only in a stream of events. */

import type { OpenaiSpeechQuirks } from '../../catalog/speech-quirks.ts';
import { isRecord, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { WireUsage } from '../../messages/types.ts';
import { jsonEvents } from '../http/json-events.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import { isOtherEvent } from '../other-event.ts';
import { voiceId, type SpeechCodec, type SpeechPart } from './codec.ts';
import { soundFromBase64, soundIn } from './sound.ts';

export const MAX_SOUND_EVENT_BYTES = 16 * 1024 * 1024;

export const openaiSpeech: SpeechCodec<OpenaiSpeechQuirks> = {
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  requestFor: ({ text, voice, format, speed, instructions }, { upstreamModel, quirks }) =>
    jsonRequest('/audio/speech', {
      model: upstreamModel,
      input: text,
      voice: quirks.voice_objects ? voice : voiceId(voice),
      response_format: format,
      ...(speed === undefined ? {} : { speed }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(quirks.speech_events ? { stream_format: 'sse' } : {}),
    }),
  decode: (response, _task, { quirks }) =>
    quirks.speech_events
      ? soundOfEvents(jsonEvents(response.body, MAX_SOUND_EVENT_BYTES), { field: 'audio', usageOf: audioUsage })
      : soundIn(response),
};

/** Differences between providers whose events have the same names as OpenAI's. */
interface EventForm {
  /** Name of the field with audio in base64. */
  field: string;
  usageOf: (usage: Record<string, unknown>) => WireUsage | undefined;
}

/**
 * Yields the audio of `speech.audio.delta` events, and the usage of the last event, `speech.audio.done`.
 * @throws {UpstreamError} if the stream has no last event, or its audio is not base64
 */
export async function* soundOfEvents(
  events: AsyncIterable<unknown>,
  { field, usageOf }: EventForm,
): AsyncGenerator<SpeechPart, void> {
  for await (const event of events) {
    const { type, usage, [field]: audio } = recordOrEmpty(event);
    if (type === 'speech.audio.delta') {
      if (audio !== '') yield { event: soundFromBase64(audio) };
    } else if (type === 'speech.audio.done') {
      const reported = isRecord(usage) ? usageOf(usage) : undefined;
      if (reported) yield { usage: reported };
      return;
    } else if (!isOtherEvent(event)) {
      yield { error: event };
      return;
    }
  }
  throw new UpstreamError('broken', 'The provider ended its speech without a last event');
}

/** Converts the usage. All output tokens are audio tokens. Zero tokens count as not reported. */
function audioUsage({ input_tokens, output_tokens }: Record<string, unknown>): WireUsage | undefined {
  if (typeof output_tokens !== 'number' || output_tokens === 0) return undefined;
  return {
    input_tokens: typeof input_tokens === 'number' ? input_tokens : null,
    output_tokens,
    output_tokens_details: { audio_tokens: output_tokens },
  };
}
