import type { OpenBody } from '../../messages/open-body.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { SpeechTask } from '../../providers/speech/codec.ts';
import { speechEngines } from '../../providers/speech/engines.ts';
import { unsentFields } from '../../providers/speech/speaker.ts';
import type { NamedText } from '../../protection/named-texts.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';
import { defineModality, plainRoute, type AcceptedBody } from './modality.ts';
import { speechBody, type SpeechRequest } from './speech-schema.ts';
import { soundEvents, soundStream } from './speech-stream.ts';

const DEFAULT_FORMAT = 'mp3';

/** Tuning fields that are texts. */
const tuningTexts = ['instructions', 'previous_text', 'next_text'] as const;

/** Modality that converts text to speech. The audio is forwarded while the provider sends it. */
export const speechModality = speechFor({
  accepts: { body: speechBody.schema },
  unknownIn: speechBody.unknownIn,
  requestOf: (body: SpeechRequest) => body,
});

interface SpeechBody<Body> {
  accepts: AcceptedBody<Body>;
  unknownIn: OpenBody<Body>['unknownIn'];
  /** Converts the client's body to a request of POST /audio/speech. */
  requestOf: (body: Body) => SpeechRequest;
  clientNames?: Readonly<Record<string, string>>;
}

/** Declares a modality of speech whose clients send bodies of one API. */
export function speechFor<Body>({ accepts, unknownIn, requestOf, clientNames = {} }: SpeechBody<Body>) {
  return defineModality({
    apiType: 'tts',
    makes: 'speech',
    accepts: { ...accepts, exactWithin: ['max_price'] },
    clientNames,
    leftOut: (body, target) => [
      ...unknownIn(body as object),
      ...unsentFields(tuningOf(requestOf(body)), target).map((name) => clientNames[name] ?? name),
    ],
    engines: speechEngines,
    // If sensitive data was replaced, the audio contains the spoken placeholders, because audio cannot be restored.
    textsOf: (body) => {
      const request = requestOf(body);
      return [{ field: 'input', text: request.input }, ...tuningTextsOf(request)];
    },
    taskOf: (body, [text = '', ...others]): SpeechTask => {
      const request = requestOf(body);
      return {
        text,
        format: request.response_format ?? DEFAULT_FORMAT,
        voice: request.voice ?? undefined,
        ...tuningOf(request),
        ...Object.fromEntries(tuningTextsOf(request).map(({ field }, at) => [field, others[at]])),
        requiresParameters: request.provider?.require_parameters === true,
      };
    },
    promptBytes: ({ text, instructions = '' }) => Buffer.byteLength(text) + Buffer.byteLength(instructions),
    routeOf: (body) => {
      const { model, models, provider } = requestOf(body);
      const { options: _options, ...preferences } = provider ?? {};
      return plainRoute({ model, models, provider: provider && preferences });
    },
    fitting: preferListing,
    tooLarge: (maxMebibytes) => invalidRequest('input', `is more than ${maxMebibytes} MiB for this model; send less`),
    tooMany: (requests, maxRequests) =>
      invalidRequest('input', `needs ${requests} requests, and the maximum is ${maxRequests}`),
    maxAtOnce: 1,
    resultOf: (answer) => answer,
    forwardedAs: (body, requestId) => {
      const { stream_format, response_format } = requestOf(body);
      return stream_format === 'sse' ? soundEvents(requestId) : soundStream(response_format ?? DEFAULT_FORMAT);
    },
    outOfTime: 'The speech took longer than the gateway may run. Send a shorter text.',
  });
}

/** Returns the fields of a request that only tune the speech. The normal speed (1) counts as absent. */
function tuningOf({ speed, instructions, provider, tuning }: SpeechRequest) {
  return {
    ...tuning,
    speed: speed == null || speed === 1 ? undefined : speed,
    instructions: instructions || provider?.options?.openai?.instructions || undefined,
  };
}

function tuningTextsOf(request: SpeechRequest): NamedText[] {
  const tuning = tuningOf(request);
  return tuningTexts.flatMap((field) => (tuning[field] === undefined ? [] : [{ field, text: tuning[field] }]));
}

/**
 * Sorts the candidates by the number of the task's fields that they support, highest first. If the client requires all
 * fields (`require_parameters`), excludes candidates that lack a field.
 * @throws {GatewayError} 400 if the client requires all fields and no candidate supports them
 */
function preferListing<Candidate extends BatchCandidate>(
  task: SpeechTask,
  candidates: Candidate[],
  onExcluded: OnExcluded | undefined,
): Candidate[] {
  const missing = (candidate: Candidate) => unsentFields(task, candidate.target).length;
  if (!task.requiresParameters) return candidates.toSorted((a, b) => missing(a) - missing(b));
  const complete = candidates.filter((candidate) => missing(candidate) === 0);
  for (const candidate of candidates) if (missing(candidate) > 0) onExcluded?.(candidate, 'request_not_supported');
  if (complete.length > 0) return complete;
  const [field = 'model'] = candidates.flatMap(({ target }) => unsentFields(task, target));
  throw invalidRequest(
    field,
    'is not supported by this model, and provider.require_parameters is true; leave one of them out',
  );
}
