import { invalidRequest } from '../../platform/errors.ts';
import type { BatchEngine, BatchRequest, StreamPart } from '../batch-engine.ts';
import type {
  Transcript,
  TranscriptDelta,
  TranscriptionAnswer,
  TranscriptionCodec,
  TranscriptionTarget,
  TranscriptionTask,
} from './codec.ts';
import { textTokens } from './read-parts.ts';

/** Upper bound on audio tokens per second of a recording. No known model counts more. */
const DEFAULT_AUDIO_TOKENS_PER_SECOND = 50;
/** Upper bound on tokens of text per second. Fast speech has fewer. */
const TEXT_TOKENS_PER_SECOND = 20;
/** Upper bound on tokens of the instructions, and of the text that is returned for silence. */
const ADDED_TOKENS = 512;
const MAX_TRANSCRIPT_BYTES = 16 * 1024 * 1024;

/** Returns the engine of a wire. It never splits a recording: a cut in a word would change the text. */
export function transcriber(codec: TranscriptionCodec): BatchEngine<TranscriptionTask, TranscriptionAnswer> {
  return {
    readUsage: (body, headers) => codec.readUsage(body, headers),
    writtenTokens: (body, target: TranscriptionTarget) => textTokens(textIn(codec, body, target)),
    batchRequests: (task, target: TranscriptionTarget) => [batchRequestOf(codec, task, target)],
    async answer(task, target: TranscriptionTarget, send) {
      const batchRequest = batchRequestOf(codec, task, target);
      if (sendsEvents(codec, task, target)) return send.open(batchRequest, codec.decode!);
      const transcript = codec.transcriptIn(await send(batchRequest), target);
      if (task.streams) return { parts: wholeAsParts(transcript) };
      return hasTimes(task, target) ? transcript : { ...transcript, segments: [], words: [] };
    },
  };
}

/**
 * Returns the text of a response; empty without a transcript. The error is thrown later, when the transcript is read.
 */
function textIn(codec: TranscriptionCodec, body: unknown, target: TranscriptionTarget): string {
  try {
    return codec.transcriptIn(body, target).text;
  } catch {
    return '';
  }
}

function sendsEvents(
  codec: TranscriptionCodec,
  { streams }: TranscriptionTask,
  { quirks }: TranscriptionTarget,
): boolean {
  return streams && codec.decode !== undefined && quirks.transcript_events === true;
}

function hasTimes(
  { needsTimes, prefersTimes }: Pick<TranscriptionTask, 'needsTimes' | 'prefersTimes'>,
  { supportedParameters }: TranscriptionTarget,
): boolean {
  return needsTimes || (prefersTimes === true && supportedParameters.includes('timestamp_granularities'));
}

/** Converts a complete transcript to parts. Its request has already been charged. */
async function* wholeAsParts({ text }: Transcript): AsyncGenerator<StreamPart<TranscriptDelta>, void> {
  yield { event: { delta: text } };
}

/**
 * Returns the request for a task.
 * @throws {GatewayError} 400 for a recording or keywords that the endpoint does not accept
 */
function batchRequestOf(codec: TranscriptionCodec, task: TranscriptionTask, target: TranscriptionTarget): BatchRequest {
  const { recording } = task;
  const { seconds, maxSeconds } = recording;
  const sent = { ...withListedFields(task, target), streams: sendsEvents(codec, task, target) };
  refuseUnfit(codec, sent, target);
  const { quirks } = target;
  const guides = [task.prompt ?? '', ...task.keywords].join();
  const likelySeconds = seconds ?? maxSeconds / 4;
  const maxTokens = Math.ceil(maxSeconds * (quirks.audio_tokens_per_second ?? DEFAULT_AUDIO_TOKENS_PER_SECOND));
  return {
    request: codec.requestFor(sent, target),
    isSentOnce: true,
    promptTokens: maxTokens + Buffer.byteLength(guides) + ADDED_TOKENS,
    outputTokens: Math.min(
      Math.ceil(maxSeconds) * TEXT_TOKENS_PER_SECOND + ADDED_TOKENS,
      target.maxOutputTokens ?? Infinity,
    ),
    pieces: {
      audioSeconds: {
        // A provider that reports seconds may round up a fraction of a second more than the gateway.
        max: billedSeconds(maxSeconds + (codec.reportsSeconds && !hasOwnSteps(target) ? 1 : 0), sent, target),
        estimated: billedSeconds(likelySeconds, sent, target),
      },
    },
    billedUsage: ({ audio_seconds: reported, ...usage }) =>
      typeof reported === 'number' && reported > 0
        ? { ...usage, audio_seconds: billedSeconds(reported, sent, target) }
        : usage,
    estimatedPrompt: {
      inputTokens: Math.ceil(textTokens(guides)),
      audioInputTokens: Math.ceil(likelySeconds * (codec.tokensPerSecond ?? 0)),
    },
    maxAnswerBytes: MAX_TRANSCRIPT_BYTES,
  };
}

/** Fields that only guide the transcription. A field is left out if the endpoint does not accept it. */
export type GuideField = 'prompt' | 'keywords' | 'temperature' | 'language';

/** Returns whether the endpoint accepts a guiding field. Mistral accepts no language if it returns times. */
export function acceptsGuide(
  name: GuideField,
  task: Pick<TranscriptionTask, 'needsTimes' | 'prefersTimes'>,
  target: TranscriptionTarget,
): boolean {
  const isUntimed = name === 'language' && target.quirks.transcription_form === 'mistral';
  return target.supportedParameters.includes(name) && !(isUntimed && hasTimes(task, target));
}

/** Returns the task without fields that the endpoint does not accept. */
function withListedFields(task: TranscriptionTask, target: TranscriptionTarget): TranscriptionTask {
  const accepts = (name: GuideField) => acceptsGuide(name, task, target);
  const { languages, prompt, keywords, temperature } = task;
  const listsLanguages = target.supportedParameters.includes('languages');
  return {
    ...task,
    needsTimes: hasTimes(task, target),
    languages: listsLanguages || (accepts('language') && languages.length === 1) ? languages : [],
    prompt: accepts('prompt') ? prompt : undefined,
    keywords: accepts('keywords') ? keywords : [],
    temperature: accepts('temperature') ? temperature : undefined,
  };
}

/** Returns the number of seconds that the provider bills for a recording of this length. */
function billedSeconds(seconds: number, { keywords }: TranscriptionTask, { quirks }: TranscriptionTarget): number {
  const { min_billed_seconds: least = 1, billed_step_seconds: step = 1, keyword_surcharge_percent: extra = 0 } = quirks;
  const billed = Math.max(least, Math.ceil(seconds / step) * step);
  return keywords.length === 0 ? billed : Math.ceil((billed * (100 + extra)) / 100);
}

/** Returns whether the billed seconds deliberately differ from the length of the recording. */
function hasOwnSteps({ quirks }: TranscriptionTarget): boolean {
  return quirks.min_billed_seconds !== undefined || quirks.billed_step_seconds !== undefined;
}

function refuseUnfit(
  codec: TranscriptionCodec,
  { recording, keywords, temperature = 0, needsWords }: TranscriptionTask,
  { quirks }: TranscriptionTarget,
): void {
  if (needsWords && quirks.transcription_form === 'mistral') {
    throw invalidRequest('timestamp_granularities', 'must be ["segment"] for this model, which returns no words');
  }
  const { bytes, format, seconds } = recording;
  const {
    max_seconds: maxSeconds,
    max_file_bytes: maxBytes,
    max_keyword_characters: maxCharacters = Infinity,
  } = quirks;
  if (!codec.formats.includes(format)) {
    throw invalidRequest('file', `is ${format}, and this model accepts ${codec.formats.join(', ')}`);
  }
  if (maxBytes !== undefined && bytes.length > maxBytes) {
    throw invalidRequest('file', `may have at most ${maxBytes / (1024 * 1024)} MiB for this model; send a shorter one`);
  }
  if (maxSeconds !== undefined && (seconds ?? recording.maxSeconds) > maxSeconds) {
    throw invalidRequest('file', `may be at most ${maxSeconds} seconds long for this model; send a shorter one`);
  }
  const { maxTemperature = 1 } = codec;
  if (temperature > maxTemperature)
    throw invalidRequest('temperature', `must be at most ${maxTemperature} for this model`);
  const long = keywords.findIndex((word) => word.length > maxCharacters);
  if (long !== -1)
    throw invalidRequest(`keywords.${long}`, `may have at most ${maxCharacters} characters for this model`);
}
