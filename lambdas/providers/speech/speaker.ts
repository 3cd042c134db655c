/** Engine for text to speech. Each text is one request, and the gateway forwards the audio as it arrives. */

import { speechFormats, type SpeechFormat } from '../../catalog/quirk-values.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { BatchEngine, BatchRequest, StreamedAnswer } from '../batch-engine.ts';
import {
  characterCount,
  type SpeechCodec,
  type SpeechPart,
  type SpeechTarget,
  type SpeechTask,
  type SpokenTask,
} from './codec.ts';

/** Fields that only tune the speech. A field is omitted if the endpoint does not list it. */
export const tuningFields = [
  'speed',
  'instructions',
  'voice_settings',
  'seed',
  'language_code',
  'previous_text',
  'next_text',
  'output_format',
  'optimize_streaming_latency',
] as const;

const SPOKEN_BYTES_PER_TOKEN = 4;
/** Lowest speaking rate, in bytes of text per second. Usual speech has about 12; digits take longest. */
const SLOWEST_BYTES_PER_SECOND = 3;
const MIN_SECONDS = 10;
/** Upper bound on the size of a second of 48 kHz, 16-bit mono audio in base64 and JSON, in bytes. */
const MAX_BYTES_PER_SECOND = 192 * 1024;
const SOUND_ENVELOPE_BYTES = 1024 * 1024;

/** Usual size of a second of audio, in bytes. */
const bytesPerSecond: Record<SpeechFormat, number> = {
  pcm: 48_000,
  wav: 48_000,
  flac: 24_000,
  mp3: 16_000,
  aac: 12_000,
  opus: 6_000,
};

export function speaker(codec: SpeechCodec): BatchEngine<SpeechTask, StreamedAnswer<Buffer>> {
  return {
    batchRequests: (task, target) => [speechRequest(codec, task, target)],
    answer: (task, target, send) =>
      send.open(speechRequest(codec, task, target), (response) =>
        withEstimates(codec.decode(response, spokenTask(task, target), target), task, target),
      ),
    readUsage: () => undefined,
  };
}

/** Voice that the AI SDK sends if its caller chooses none (https://github.com/vercel/ai, openai-speech-model.ts). */
const UNCHOSEN_VOICE = 'alloy';

/** Returns the names of the task's fields that are omitted for this endpoint. */
export function unsentFields(
  task: Pick<SpeechTask, (typeof tuningFields)[number] | 'voice'>,
  { supportedParameters, quirks: { default_voice: usual } }: Pick<SpeechTarget, 'supportedParameters' | 'quirks'>,
): string[] {
  const isUnchosen = task.voice === UNCHOSEN_VOICE && usual !== undefined && usual !== UNCHOSEN_VOICE;
  const unlisted = tuningFields.filter((name) => task[name] !== undefined && !supportedParameters.includes(name));
  return isUnchosen ? ['voice', ...unlisted] : unlisted;
}

/**
 * Returns the request for a task.
 * @throws {GatewayError} 400 for a task that the endpoint does not support
 */
function speechRequest(codec: SpeechCodec, task: SpeechTask, target: SpeechTarget): BatchRequest {
  checkFormat(codec, task, target);
  const characters = characterCount(task.text);
  const { max_characters: maxCharacters = Infinity, audio_tokens_per_second: tokensPerSecond = 0 } = target.quirks;
  if (characters > maxCharacters) {
    throw invalidRequest(
      'input',
      `must have at most ${maxCharacters} characters for this model, and has ${characters}`,
    );
  }
  const spoken = spokenTask(task, target);
  checkSpeed(spoken, target);
  const textBytes = Buffer.byteLength(task.text);
  const seconds = (MIN_SECONDS + textBytes / SLOWEST_BYTES_PER_SECOND) / Math.min(1, spoken.speed ?? 1);
  const maxTokens = Math.ceil(seconds * tokensPerSecond);
  return {
    request: codec.requestFor(spoken, target),
    isSentOnce: true,
    outputTokens: Math.min(maxTokens, target.maxOutputTokens ?? Infinity),
    pieces: { characters: { max: characters, estimated: characters } },
    estimatedPrompt: {
      inputTokens: Math.ceil((textBytes + Buffer.byteLength(spoken.instructions ?? '')) / SPOKEN_BYTES_PER_TOKEN),
    },
    maxAnswerBytes: SOUND_ENVELOPE_BYTES + Math.ceil(seconds * MAX_BYTES_PER_SECOND),
  };
}

function checkFormat({ formats }: SpeechCodec, { format }: SpeechTask, { quirks }: SpeechTarget): void {
  const made = speechFormats.filter(
    (name) => formats.includes(name) && (quirks.speech_formats ?? formats).includes(name),
  );
  if (made.includes(format)) return;
  const hint = format === 'mp3' ? ', also if a request names no format' : '';
  throw invalidRequest('response_format', `"${format}" cannot be made by this model${hint}; use ${made.join(' or ')}`);
}

function checkSpeed({ speed }: SpokenTask, { quirks }: SpeechTarget): void {
  const [min, max] = quirks.speed_range ?? [0, Infinity];
  if (speed === undefined || (speed >= min && speed <= max)) return;
  throw invalidRequest('speed', `must be between ${min} and ${max} for this model`);
}

function spokenTask(task: SpeechTask, target: SpeechTarget): SpokenTask {
  const unsent = unsentFields(task, target);
  const sent = { ...task, ...Object.fromEntries(unsent.map((name) => [name, undefined])) };
  const voice = sent.voice ?? target.quirks.default_voice;
  if (voice === undefined) throw invalidRequest('voice', 'is required for this model, which has no default voice');
  return { ...sent, voice };
}

async function* withEstimates(
  parts: AsyncGenerator<SpeechPart, void>,
  { format }: SpeechTask,
  { quirks: { audio_tokens_per_second: tokensPerSecond = 0 } }: SpeechTarget,
): AsyncGenerator<SpeechPart, void> {
  for await (const part of parts) {
    const seconds = (part.event?.length ?? 0) / bytesPerSecond[format];
    yield tokensPerSecond > 0 && seconds > 0 ? { ...part, estimatedTokens: seconds * tokensPerSecond } : part;
  }
}
