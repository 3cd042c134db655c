/**
 * Each request must be sent to a transcription endpoint in the form that the provider accepts, or refused with the name
 * of a field.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { engineCandidate } from '../../lambdas/inference/modalities/modality.ts';
import { transcriptionBody } from '../../lambdas/inference/modalities/transcription-schema.ts';
import { transcriptionModality, translationModality } from '../../lambdas/inference/modalities/transcription.ts';
import { readRecording } from '../../lambdas/inference/recordings/read-recording.ts';
import type { Recording, TranscriptionAnswer, TranscriptionTask } from '../../lambdas/providers/transcription/codec.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { mp3File, waveFile } from '../support/recordings.ts';
import { longestRecordings, transcriptionFakes, transcriptionRefusals, transcriptionSources } from './transcription.ts';

const places = loadShippedCatalog()
  .models.filter(({ id, data }) => data.output_modalities.includes('transcription') && !id.startsWith('sandbox/'))
  .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));

const requests: object[] = [
  {},
  { language: 'ru' },
  { languages: ['ru', 'en'] },
  { languages: ['en'] },
  { prompt: 'Parcels.' },
  { keywords: ['DHL'] },
  { keywords: ['two words'] },
  { keywords: ['one, two'] },
  { keywords: ['x'.repeat(60)] },
  { temperature: 0 },
  { temperature: 1 },
  { response_format: 'verbose_json' },
  { response_format: 'verbose_json', timestamp_granularities: ['word'] },
  { response_format: 'json', timestamp_granularities: ['segment'], language: 'ru', temperature: 0 },
  { response_format: 'srt', language: 'ru' },
  { response_format: 'srt', language: 'ru', provider: { require_parameters: true } },
  { language: 'en-US' },
  { response_format: 'vtt', prompt: 'Parcels.', keywords: ['DHL'], temperature: 0.5, language: 'ru' },
];

interface Place {
  candidate: BatchCandidate<TranscriptionTask, TranscriptionAnswer>;
  providerId: string;
}

function placeOf({ model, endpoint }: (typeof places)[number]): Place {
  const pricing = endpoint.pricing!;
  const usable = { model, endpoint: { ...endpoint, pricing }, pricing, credential: 'c', isOnlyFirst: false };
  return { candidate: engineCandidate(transcriptionModality, usable as never)!, providerId: endpoint.provider.id };
}

const kinds = ['wave', 'mp3'] as const;
const recordings = {} as Record<(typeof kinds)[number], Recording>;
beforeAll(async () => {
  recordings.wave = await readRecording(waveFile(1), 'file');
  recordings.mp3 = await readRecording(mp3File(1), 'file');
});

interface Ask {
  request: object;
  modality: typeof transcriptionModality;
  recording: Recording;
}

function ask({ request, modality, recording }: Ask, { candidate }: Place) {
  const body = transcriptionBody.schema.parse({ model: candidate.model.id, url: 'https://e.org/a.wav', ...request });
  const whole = { ...body, recording };
  const task = modality.taskOf(
    whole,
    modality.textsOf(whole).map(({ text }) => text),
  );
  try {
    const candidates = modality.fitting!(task, [candidate], undefined);
    prepareOffers(candidates, task, modality);
    const [first] = candidate.engine.batchRequests(task, candidate.target);
    return { sent: first!.request };
  } catch (error) {
    const { metadata } = error as { metadata?: { field?: unknown } };
    if (typeof metadata?.field !== 'string') throw error;
    return { refused: metadata.field };
  }
}

const asks = () =>
  [transcriptionModality, translationModality].flatMap((modality) =>
    kinds.flatMap((kind) => requests.map((request): Ask => ({ request, modality, recording: recordings[kind] }))),
  );

describe('transcription endpoints of the catalog', () => {
  it('are at least twelve models, each with a strict fake', () => {
    expect(new Set(places.map(({ model }) => model.id)).size).toBeGreaterThanOrEqual(12);
    expect(places.filter(({ endpoint }) => !transcriptionFakes[endpoint.provider.id])).toEqual([]);
  });

  it.each(places.map((place) => [place.endpoint.id, placeOf(place)] as const))(
    'get only requests that their provider accepts, and refuse others by the name of a field: %s',
    async (_id, place) => {
      for (const one of asks()) {
        const outcome = ask(one, place);
        const model = place.candidate.target.upstreamModel;
        const refused = 'sent' in outcome ? await transcriptionRefusals(place.providerId, outcome.sent, model) : [];
        expect({ request: one.request, refused }).toEqual({ request: one.request, refused: [] });
      }
    },
  );

  it('refuse recordings that are too long for their provider', async () => {
    for (const [model, seconds] of Object.entries(longestRecordings)) {
      const place = places.map(placeOf).find(({ candidate }) => candidate.target.upstreamModel === model)!;
      const outcomeAt = async (length: number) => {
        const recording = await readRecording(waveFile(length, { sampleRate: 8_000 }), 'file');
        return ask({ request: {}, modality: transcriptionModality, recording }, place);
      };

      expect(await outcomeAt(seconds + 1)).toEqual({ refused: 'file' });
      expect(await outcomeAt(seconds)).toMatchObject({ sent: {} });
    }
  });

  it('leave out the language where the provider takes none with times', () => {
    const mistral = places.filter(({ endpoint }) => endpoint.provider.id === 'mistral').map(placeOf);
    const leftOut = (body: object) =>
      mistral.map(({ candidate }) => transcriptionModality.leftOut!({ model: 'm', ...body }, candidate.target));

    expect(leftOut({ language: 'ru', response_format: 'srt' })).toEqual(mistral.map(() => ['language']));
    expect(leftOut({ language: 'ru' })).toEqual(mistral.map(() => []));
    // The AI SDK sends the default granularity also with `json`, which has no times.
    expect(leftOut({ language: 'ru', timestamp_granularities: ['segment'] })).toEqual(mistral.map(() => []));
  });

  it('refuse only requests that their provider does not support', () => {
    const refused = places.map(placeOf).flatMap((place) =>
      asks().flatMap((one) => {
        const outcome = ask(one, place);
        return 'refused' in outcome ? [`${place.providerId} ${outcome.refused}`] : [];
      }),
    );

    expect([...new Set(refused)].toSorted()).toEqual([
      'deepgram model',
      'elevenlabs keywords.0',
      'elevenlabs languages',
      'elevenlabs model',
      'google response_format',
      'google timestamp_granularities',
      'groq languages',
      'groq model',
      'mistral keywords.0',
      'mistral language',
      'mistral languages',
      'mistral model',
      'mistral timestamp_granularities',
      'openai languages',
      'openai model',
      'openai response_format',
      'openai timestamp_granularities',
      'xai keywords.0',
      'xai languages',
      'xai model',
      'yandex-speechkit-stt file',
      'yandex-speechkit-stt languages',
      'yandex-speechkit-stt model',
      'yandex-speechkit-stt response_format',
      'yandex-speechkit-stt timestamp_granularities',
    ]);
  });
});

it('the strict fakes of transcription name their sources', () => {
  expect(transcriptionSources.filter((source) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
});

const refusals = (provider: string, body: object, model = 'm') =>
  transcriptionFakes[provider]!.fake.refusals({ path: '/', headers: {}, body: JSON.stringify(body) }, model);

describe('a strict fake of a provider of transcripts', () => {
  const usual = { model: 'm', file: 'recording.wav', '#last': 'file', response_format: 'json' };

  it.each([
    ['openai', { ...usual, response_format: 'verbose_json' }, 'gpt-transcribe', /response_format/],
    ['openai', { ...usual, language: 'en' }, 'gpt-transcribe', /language/],
    ['openai', { ...usual, 'keywords[]': ['a'] }, 'whisper-1', /keywords/],
    ['groq', { ...usual, response_format: 'srt' }, 'm', /response_format/],
    ['mistral', usual, 'm', /response_format/],
    ['mistral', { model: 'm', file: 'recording.wav', '#last': 'file', context_bias: ['a b'] }, 'm', /context_bias/],
    ['elevenlabs', { file: 'recording.wav', '#last': 'file' }, 'm', /model_id/],
    ['xai', { file: 'recording.wav', '#last': 'language', language: 'en' }, 'm', /last/],
    ['xai', { file: 'recording.wav', '#last': 'file', format: 'true' }, 'm', /format needs/],
    ['deepgram', { model: 'm', '#type': 'text/plain' }, 'm', /type/],
    ['google', { contents: [] }, 'm', /generationConfig/],
  ])('of %s refuses %j', (provider, body, model, reason) => {
    expect(refusals(provider, body, model).join()).toMatch(reason);
  });
});
