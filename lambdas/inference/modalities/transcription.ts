import type * as z from 'zod';
import type { OpenBody } from '../../messages/open-body.ts';
import { invalidRequest } from '../../platform/errors.ts';
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

export const transcriptionModality = transcriptionFor(transcriptionBody, { requestOf: openaiRequest });
/** Transcribes in English, whatever the spoken language. */
export const translationModality = transcriptionFor(transcriptionBody, { requestOf: openaiRequest, translates: true });

interface TranscriptionForm<Body> {
  /** Converts the client's body to the form of the Transcriptions API, without `auto` as language. */
  requestOf: (body: Body) => TranscriptionBody;
  translates?: boolean;
  query?: z.ZodType<object>;
  clientNames?: Readonly<Record<string, string>>;
}

/** Declares a modality of transcription for the bodies of one client API. */
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
    // Recordings are not searched for sensitive data (docs/protection.md).
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

/**
 * Leaves out the language `auto`, and the granularities of a format without segments: the AI SDK sends the default
 * `segment` also with the format `json` (https://github.com/vercel/ai/pull/8246).
 */
function openaiRequest(body: TranscriptionBody): TranscriptionBody {
  const { language, timestamp_granularities: granularities, response_format: format } = body;
  return {
    ...body,
    language: language === 'auto' ? undefined : language,
    timestamp_granularities: format === 'verbose_json' ? granularities : undefined,
  };
}

const timedFormats = new Set(['verbose_json', 'srt', 'vtt']);

/**
 * Returns whether the transcript needs times, whether it needs times of words, and whether the client only prefers
 * times. Granularities are only a preference if the requested format contains no times.
 */
function timesOf({ response_format, timestamp_granularities }: TranscriptionBody) {
  const needsTimes = timedFormats.has(response_format ?? 'json');
  const granularities = timestamp_granularities ?? [];
  return {
    needsTimes,
    needsWords: needsTimes && granularities.includes('word'),
    prefersTimes: !needsTimes && granularities.length > 0,
  };
}

/**
 * Returns the candidates that support the task. Some fields, such as the prompt, only guide the transcription.
 * Candidates that accept more of these fields come first. If the client requires support for all fields, other
 * candidates are excluded.
 * @throws {GatewayError} 400 if no candidate supports the required fields
 */
function fittingCandidates(
  task: TranscriptionTask,
  candidates: TranscriptionCandidate[],
  onExcluded: OnExcluded | undefined,
): TranscriptionCandidate[] {
  const { needsTimes, needsWords, prefersTimes, needsAllFields, translates } = task;
  const { languages, prompt, keywords, temperature } = task;
  const lists = ({ target }: TranscriptionCandidate, name: string) => target.supportedParameters.includes(name);
  if (translates && !candidates.some((candidate) => lists(candidate, 'translations'))) {
    const rule = 'makes no translations; use a model that lists "translations" in supported_parameters';
    throw invalidRequest('model', `"${candidates[0]?.model.id}" ${rule}`);
  }
  // Errors name the client's field that requires times.
  const timesField = needsWords ? 'timestamp_granularities' : 'response_format';
  const needed = {
    [timesField]: needsTimes || undefined,
    translations: translates || undefined,
    languages: languages.length > 1 || undefined,
  };
  const able = candidatesWith(needed, candidates, onExcluded, (candidate, name) =>
    lists(candidate, name === timesField ? 'timestamp_granularities' : name),
  );
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
