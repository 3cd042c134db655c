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

const tuningTexts = ['instructions', 'previous_text', 'next_text'] as const;

export const speechModality = speechFor({
  accepts: { body: speechBody.schema },
  unknownIn: speechBody.unknownIn,
  requestOf: (body: SpeechRequest) => body,
});

interface SpeechBody<Body> {
  accepts: AcceptedBody<Body>;
  unknownIn: OpenBody<Body>['unknownIn'];
  requestOf: (body: Body) => SpeechRequest;
  clientNames?: Readonly<Record<string, string>>;
}

/** Declares a modality of speech for the bodies of one client API. */
export function speechFor<Body>({ accepts, unknownIn, requestOf, clientNames = {} }: SpeechBody<Body>) {
  return defineModality({
    apiType: 'tts',
    makes: 'speech',
    accepts: { ...accepts, exactWithin: ['max_price'] },
    clientNames,
    leftOut: (body, target) => {
      const request = requestOf(body);
      const unsent = unsentFields({ ...tuningOf(request), voice: request.voice ?? undefined }, target);
      return [...unknownIn(body as object), ...unsent.map((name) => clientNames[name] ?? name)];
    },
    engines: speechEngines,
    // The texts may contain placeholders for sensitive data. They are spoken, because audio cannot be restored.
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

/** Returns the settings of the speech. The normal speed (1) counts as absent. */
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
 * Sorts the candidates by the number of the task's fields that they support, highest first. With `require_parameters`,
 * excludes candidates that lack a field.
 * @throws {GatewayError} 400 if no candidate remains
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
