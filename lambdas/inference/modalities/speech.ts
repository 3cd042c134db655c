import { invalidRequest } from '../../platform/errors.ts';
import type { SpeechTask } from '../../providers/speech/codec.ts';
import { speechEngines } from '../../providers/speech/engines.ts';
import { tuningFields, unsentFields } from '../../providers/speech/speaker.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';
import { defineModality, plainRoute } from './modality.ts';
import { speechBody, type SpeechRequest } from './speech-schema.ts';
import { soundEvents, soundStream } from './speech-stream.ts';

const DEFAULT_FORMAT = 'mp3';

/** Returns the fields of a body that only tune the speech. The normal speed (1) counts as absent. */
const tuningOf = ({ speed, instructions, provider }: SpeechRequest) => ({
  speed: speed == null || speed === 1 ? undefined : speed,
  instructions: instructions || provider?.options?.openai?.instructions || undefined,
});

/** Modality that converts text to speech. The audio is forwarded while the provider sends it. */
export const speechModality = defineModality({
  apiType: 'tts',
  makes: 'speech',
  accepts: { body: speechBody.schema, exactWithin: ['max_price'] },
  leftOut: (body, target) => [...speechBody.unknownIn(body), ...unsentFields(tuningOf(body), target)],
  engines: speechEngines,
  // If sensitive data was replaced, the audio contains the spoken placeholders, because audio cannot be restored.
  textsOf: (body) => {
    const { instructions } = tuningOf(body);
    const input = { field: 'input', text: body.input };
    return instructions === undefined ? [input] : [input, { field: 'instructions', text: instructions }];
  },
  taskOf: (body, [text = '', instructions]): SpeechTask => ({
    text,
    format: body.response_format ?? DEFAULT_FORMAT,
    voice: body.voice ?? undefined,
    speed: tuningOf(body).speed,
    instructions,
    requiresParameters: body.provider?.require_parameters === true,
  }),
  promptBytes: ({ text, instructions = '' }) => Buffer.byteLength(text) + Buffer.byteLength(instructions),
  routeOf: ({ model, models, provider }) => {
    const { options: _options, ...preferences } = provider ?? {};
    return plainRoute({ model, models, provider: provider && preferences });
  },
  fitting: preferListing,
  tooLarge: (maxMebibytes) => invalidRequest('input', `is more than ${maxMebibytes} MiB for this model; send less`),
  tooMany: (requests, maxRequests) =>
    invalidRequest('input', `needs ${requests} requests, and the maximum is ${maxRequests}`),
  maxAtOnce: 1,
  resultOf: (answer) => answer,
  forwardedAs: ({ stream_format, response_format }, requestId) =>
    stream_format === 'sse' ? soundEvents(requestId) : soundStream(response_format ?? DEFAULT_FORMAT),
  outOfTime: 'The speech took longer than the gateway may run. Send a shorter text.',
});

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
  const field = tuningFields.find((name) => task[name] !== undefined)!;
  throw invalidRequest(
    field,
    'is not supported by this model, and provider.require_parameters is true; leave one of them out',
  );
}
