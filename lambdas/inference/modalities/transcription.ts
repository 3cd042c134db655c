import type {
  TranscriptionAnswer,
  TranscriptionTarget,
  TranscriptionTask,
} from '../../providers/transcription/codec.ts';
import { transcriptionEngines } from '../../providers/transcription/engines.ts';
import { acceptsGuide, type GuideField } from '../../providers/transcription/transcriber.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';
import { recordingOf } from '../recordings/recording-of.ts';
import { recordingTooLarge } from '../recordings/fetch-recording.ts';
import { candidatesWith, preferringListed } from './listed-fields.ts';
import { defineModality, plainRoute } from './modality.ts';
import { transcriptEvents } from './transcript-events.ts';
import { transcriptionBody, type TranscriptionBody } from './transcription-schema.ts';

type TranscriptionCandidate = BatchCandidate<TranscriptionTask, TranscriptionAnswer>;

/** Response formats that contain times. */
const timedFormats = new Set(['verbose_json', 'srt', 'vtt']);
const needsTimes = ({ response_format: format }: TranscriptionBody) => timedFormats.has(format ?? 'json');

/** Modality that transcribes recordings in the spoken language. */
export const transcriptionModality = transcriptionInto(false);
/** Modality that transcribes recordings in English, whatever the spoken language. */
export const translationModality = transcriptionInto(true);

function transcriptionInto(translates: boolean) {
  return defineModality({
    apiType: 'stt',
    makes: 'transcription',
    accepts: { body: transcriptionBody.schema, exactWithin: ['max_price'] },
    prepare: async (body, clientLeft) => ({
      ...body,
      language: body.language === 'auto' ? undefined : body.language,
      recording: await recordingOf(body, clientLeft),
    }),
    leftOut: (body, target) => [
      ...transcriptionBody.unknownIn(body),
      ...(Object.keys(guidesOf(body)) as GuideField[]).filter(
        (name) => !acceptsGuide(name, { needsTimes: needsTimes(body) }, target as TranscriptionTarget),
      ),
    ],
    engines: transcriptionEngines,
    // Like images in messages, recordings are not searched for sensitive data (docs/protection.md).
    textsOf: ({ prompt, keywords }) => [
      ...(prompt ? [{ field: 'prompt', text: prompt }] : []),
      ...(keywords ?? []).map((text, index) => ({ field: `keywords.${index}`, text })),
    ],
    taskOf: (body, texts): TranscriptionTask => ({
      recording: body.recording!,
      languages: body.languages ?? (body.language ? [body.language] : []),
      prompt: body.prompt ? texts[0] : undefined,
      keywords: body.prompt ? texts.slice(1) : texts,
      temperature: body.temperature ?? undefined,
      needsTimes: needsTimes(body),
      needsAllFields: body.provider?.require_parameters === true,
      streams: body.stream === true,
      translates,
    }),
    promptBytes: ({ prompt, keywords }) => Buffer.byteLength([prompt ?? '', ...keywords].join()),
    routeOf: plainRoute,
    fitting: fittingCandidates,
    tooLarge: recordingTooLarge,
    tooMany: recordingTooLarge,
    maxAtOnce: 1,
    forwardedAs: ({ stream }, requestId) => (stream ? transcriptEvents(requestId) : undefined),
    resultOf: (transcript, { recording }) => ({ ...transcript, seconds: transcript.seconds ?? recording.seconds }),
    outOfTime: 'The transcript took longer than the gateway may run. Send the recording in several parts.',
  });
}

/**
 * Returns the candidates that support the task. Candidates that list more of the fields that only guide the
 * transcription come first; a candidate gets the request without the fields that it does not list. If the client
 * requires all fields, only candidates that list all of them remain.
 * @throws {GatewayError} 400 if no candidate supports the required fields
 */
function fittingCandidates(
  task: TranscriptionTask,
  candidates: TranscriptionCandidate[],
  onExcluded: OnExcluded | undefined,
): TranscriptionCandidate[] {
  const { needsTimes, needsAllFields, translates, languages, prompt, keywords, temperature } = task;
  const needed = {
    timestamp_granularities: needsTimes || undefined,
    translations: translates || undefined,
    languages: languages.length > 1 || undefined,
  };
  const able = candidatesWith(needed, candidates, onExcluded);
  const guides = guidesOf({
    prompt,
    keywords,
    temperature,
    language: languages.length === 1 ? languages[0] : undefined,
  });
  const accepts = ({ target }: TranscriptionCandidate, name: string) => acceptsGuide(name as GuideField, task, target);
  return needsAllFields
    ? candidatesWith(guides, able, onExcluded, accepts)
    : preferringListed(Object.keys(guides), able, accepts);
}

function guidesOf(fields: Partial<Record<GuideField, unknown>>): Partial<Record<GuideField, unknown>> {
  const { prompt, keywords, temperature, language } = fields;
  return Object.fromEntries(
    Object.entries({ prompt, keywords, temperature, language }).filter(
      ([, value]) => value !== undefined && value !== null && value !== '' && (value as unknown[]).length !== 0,
    ),
  );
}
