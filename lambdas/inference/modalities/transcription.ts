import type * as z from 'zod';
import type { OpenBody } from '../../messages/open-body.ts';
import type {
  Recording,
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

/** Modality that transcribes recordings in the spoken language. */
export const transcriptionModality = transcriptionFor(transcriptionBody, { requestOf: openaiRequest });
/** Modality that transcribes recordings in English, whatever the spoken language. */
export const translationModality = transcriptionFor(transcriptionBody, { requestOf: openaiRequest, translates: true });

interface TranscriptionForm<Body> {
  /** Converts the client's body to the form of the Transcriptions API, without `auto` as language. */
  requestOf: (body: Body) => TranscriptionBody;
  translates?: boolean;
  query?: z.ZodType<object>;
  clientNames?: Readonly<Record<string, string>>;
}

/** Declares a modality of transcription whose clients send bodies of one API. */
export function transcriptionFor<Body extends { recording?: Recording }>(
  { schema, unknownIn }: OpenBody<Body>,
  { requestOf, translates = false, clientNames = {}, ...accepted }: TranscriptionForm<Body>,
) {
  return defineModality({
    apiType: 'stt',
    makes: 'transcription',
    accepts: { body: schema, ...accepted, exactWithin: ['max_price'] },
    clientNames,
    prepare: async (body, clientLeft) => ({ ...body, recording: await recordingOf(requestOf(body), clientLeft) }),
    leftOut: (body, target) => {
      const request = requestOf(body);
      const times = timesOf(request);
      const unsent = (Object.keys(guidesOf(request)) as GuideField[]).filter(
        (name) => !acceptsGuide(name, times, target as TranscriptionTarget),
      );
      return [...unknownIn(body), ...unsent.map((name) => clientNames[name] ?? name)];
    },
    engines: transcriptionEngines,
    // Like images in messages, recordings are not searched for sensitive data (docs/protection.md).
    textsOf: (body) => {
      const { prompt, keywords } = requestOf(body);
      return [
        ...(prompt ? [{ field: 'prompt', text: prompt }] : []),
        ...(keywords ?? []).map((text, index) => ({ field: `keywords.${index}`, text })),
      ];
    },
    taskOf: (body, texts): TranscriptionTask => {
      const request = requestOf(body);
      const { language, languages, prompt, temperature, provider, stream } = request;
      return {
        recording: body.recording!,
        languages: languages ?? (language ? [language] : []),
        prompt: prompt ? texts[0] : undefined,
        keywords: prompt ? texts.slice(1) : texts,
        temperature: temperature ?? undefined,
        ...timesOf(request),
        needsAllFields: provider?.require_parameters === true,
        streams: stream === true,
        translates,
      };
    },
    promptBytes: ({ prompt, keywords }) => Buffer.byteLength([prompt ?? '', ...keywords].join()),
    routeOf: (body) => plainRoute(requestOf(body)),
    fitting: fittingCandidates,
    tooLarge: recordingTooLarge,
    tooMany: recordingTooLarge,
    maxAtOnce: 1,
    forwardedAs: (body, requestId) => (requestOf(body).stream ? transcriptEvents(requestId) : undefined),
    resultOf: (transcript, { recording }) => ({ ...transcript, seconds: transcript.seconds ?? recording.seconds }),
    outOfTime: 'The transcript took longer than the gateway may run. Send the recording in several parts.',
  });
}

function openaiRequest(body: TranscriptionBody): TranscriptionBody {
  return body.language === 'auto' ? { ...body, language: undefined } : body;
}

/** Response formats that contain times. */
const timedFormats = new Set(['verbose_json', 'srt', 'vtt']);

/**
 * Returns whether a transcript has times. Granularities without a format that contains times are only a preference; the
 * schema of the Transcriptions API refuses them.
 */
function timesOf({ response_format, timestamp_granularities }: TranscriptionBody) {
  const needsTimes = timedFormats.has(response_format ?? 'json');
  return { needsTimes, prefersTimes: !needsTimes && (timestamp_granularities ?? []).length > 0 };
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
  const { needsTimes, prefersTimes, needsAllFields, translates, languages, prompt, keywords, temperature } = task;
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
    : preferringListed([...Object.keys(guides), ...(prefersTimes ? ['timestamp_granularities'] : [])], able, accepts);
}

function guidesOf(fields: Partial<Record<GuideField, unknown>>): Partial<Record<GuideField, unknown>> {
  const { prompt, keywords, temperature, language } = fields;
  return Object.fromEntries(
    Object.entries({ prompt, keywords, temperature, language }).filter(
      ([, value]) => value !== undefined && value !== null && value !== '' && (value as unknown[]).length !== 0,
    ),
  );
}
