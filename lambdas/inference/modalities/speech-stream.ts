import { promptTokens } from '../../accounting/usage.ts';
import { finalCost, type Charged } from '../../accounting/charge.ts';
import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import { sseEvent } from '../../platform/sse.ts';
import type { ClientStream } from '../batch/forward-stream.ts';
import { forwardedEvents } from './forwarded-events.ts';

const soundTypes: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Forwards the audio unchanged. */
export function soundStream(format: SpeechFormat): ClientStream<Buffer> {
  return { contentType: soundTypes[format], chunk: (sound) => sound };
}

/** Sends the events of OpenAI's API. The last event contains the usage, and its cost if final. */
export function soundEvents(requestId: string): ClientStream<Buffer> {
  return forwardedEvents(requestId, {
    chunk: (sound) => sseEvent({ type: 'speech.audio.delta', audio: sound.toString('base64') }),
    last: (charged) => sseEvent({ type: 'speech.audio.done', usage: speechUsage(charged) }),
  });
}

function speechUsage({ usage, ...charged }: Charged): object {
  const { characters, outputTokens } = usage;
  const inputTokens = promptTokens(usage);
  return {
    ...(characters === undefined ? {} : { characters }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...finalCost(charged),
  };
}
