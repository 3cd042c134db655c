/** Tasks with valid provider answers for the wires of images, speech, transcripts, reranking and embeddings. */

import type { ImageOptions } from '../../lambdas/catalog/image-options.ts';
import { readRecording } from '../../lambdas/inference/recordings/read-recording.ts';
import type { BatchEngine } from '../../lambdas/providers/batch-engine.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';
import { imageEngines } from '../../lambdas/providers/images/engines.ts';
import { rerankEngines } from '../../lambdas/providers/rerank/engines.ts';
import { speechEngines } from '../../lambdas/providers/speech/engines.ts';
import type { SpeechTask } from '../../lambdas/providers/speech/codec.ts';
import { transcriptionEngines } from '../../lambdas/providers/transcription/engines.ts';
import type { TranscriptionTask } from '../../lambdas/providers/transcription/codec.ts';
import type { WireTarget } from '../../lambdas/providers/wire.ts';
import { waveFile } from './recordings.ts';

/** A document, events with documents, or the bytes of a file. */
export type MediaBody = { document: unknown } | { events: readonly unknown[] } | { sound: Buffer };

export interface MediaWire {
  name: string;
  engine: BatchEngine<never, unknown>;
  task: unknown;
  target: Partial<WireTarget>;
  /**
   * Bodies of a valid answer, one for each HTTP exchange; a wire with jobs has several.
   * @param url URL of the provider
   */
  bodies: (url: string) => readonly MediaBody[];
}

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(400, 7)]);
export const drawnImage = PNG.toString('base64');
const sound = Buffer.alloc(2_000, 7);
const soundText = sound.toString('base64');

const image: ImageOptions = { output_formats: ['png'], max_images: 4 };
const byTokens = { image: { ...image, tokens: { any: 1_000 } } };
const byImages = { image };

const tokenUsage = {
  input_tokens: 9,
  output_tokens: 800,
  total_tokens: 809,
  input_tokens_details: { image_tokens: 0, text_tokens: 9 },
  output_tokens_details: { image_tokens: 800, text_tokens: 0 },
};
const geminiUsage = {
  promptTokenCount: 9,
  candidatesTokenCount: 800,
  thoughtsTokenCount: 20,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
  candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 800 }],
};

const document = (content: unknown): MediaBody[] => [{ document: content }];

type Images = keyof typeof imageEngines;
const images: [Images, Partial<WireTarget>, MediaWire['bodies']][] = [
  ['openai-images', byTokens, () => document({ created: 1, data: [{ b64_json: drawnImage }], usage: tokenUsage })],
  ['openai-images', byImages, () => document({ created: 1, data: [{ b64_json: drawnImage }] })],
  [
    'gemini-images',
    byTokens,
    () =>
      document({
        candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: drawnImage } }] } }],
        usageMetadata: geminiUsage,
      }),
  ],
  ['imagen', byImages, () => document({ predictions: [{ bytesBase64Encoded: drawnImage, mimeType: 'image/png' }] })],
  ['bedrock-stability', byImages, () => document({ images: [drawnImage], seeds: [1], finish_reasons: [null] })],
  ['bedrock-nova-canvas', byImages, () => document({ images: [drawnImage] })],
  [
    'bfl-images',
    byImages,
    (url) => [
      { document: { id: 'j1', polling_url: `${url}/job` } },
      { document: { id: 'j1', status: 'Ready', result: { sample: `${url}/file.png` } } },
      { sound: PNG },
    ],
  ],
  [
    'yandex-art',
    byImages,
    () => [
      { document: { id: 'j1', done: false } },
      { document: { id: 'j1', done: true, response: { image: drawnImage } } },
    ],
  ],
];

const spoken = (format: SpeechTask['format']): SpeechTask => ({
  text: 'Hello',
  format,
  voice: 'ann',
  speed: undefined,
  instructions: undefined,
  requiresParameters: false,
});
const speechEvents: MediaBody[] = [
  {
    events: [
      { type: 'speech.audio.delta', audio: soundText, audio_data: soundText },
      { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 } },
    ],
  },
];
const raw: MediaBody[] = [{ sound }];
const perSecond = { audio_tokens_per_second: 25 };

type Speech = keyof typeof speechEngines;
const speech: [Speech, SpeechTask['format'], WireTarget['quirks'], readonly MediaBody[]][] = [
  ['openai-speech', 'mp3', {}, raw],
  ['openai-speech', 'mp3', { ...perSecond, speech_events: true } as WireTarget['quirks'], speechEvents],
  [
    'gemini-speech',
    'wav',
    perSecond as WireTarget['quirks'],
    [
      {
        events: [
          {
            candidates: [
              {
                content: { parts: [{ inlineData: { mimeType: 'audio/L16;rate=24000', data: soundText } }] },
                finishReason: 'STOP',
              },
            ],
            usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 40 },
          },
        ],
      },
    ],
  ],
  ['mistral-speech', 'mp3', {}, speechEvents],
  ['elevenlabs-speech', 'mp3', {}, raw],
  ['deepgram-speech', 'mp3', {}, raw],
  ['xai-speech', 'mp3', {}, raw],
  ['yandex-speech', 'mp3', {}, raw],
  ['salute-speech', 'opus', {}, raw],
];

const heard: Omit<TranscriptionTask, 'recording'> = {
  languages: [],
  prompt: undefined,
  keywords: [],
  temperature: undefined,
  needsTimes: true,
  needsAllFields: false,
  streams: false,
  translates: false,
};
const word = { text: 'Hi', word: 'Hi', start: 0.1, end: 0.4, type: 'word', punctuated_word: 'Hi.' };
const transcript = { text: 'Hi.', language: 'en', duration: 1, words: [word] };
const inTokens = { input_tokens: 20, input_token_details: { audio_tokens: 15 }, output_tokens: 3 };

type Transcription = keyof typeof transcriptionEngines;
const transcription: [Transcription, Partial<TranscriptionTask>, MediaBody][] = [
  ['openai-transcription', {}, { document: { ...transcript, usage: { type: 'duration', seconds: 1 } } }],
  ['openai-transcription', {}, { document: { ...transcript, usage: { type: 'tokens', ...inTokens } } }],
  [
    'openai-transcription',
    { streams: true },
    {
      events: [
        { type: 'transcript.text.delta', delta: 'Hi.' },
        { type: 'transcript.text.done', text: 'Hi.', usage: inTokens },
      ],
    },
  ],
  ['elevenlabs-transcription', {}, { document: { ...transcript, language_code: 'en' } }],
  [
    'deepgram-transcription',
    {},
    {
      document: {
        metadata: { duration: 1 },
        results: { channels: [{ alternatives: [{ transcript: 'Hi.', words: [word] }] }] },
      },
    },
  ],
  ['xai-transcription', {}, { document: transcript }],
  ['yandex-transcription', {}, { document: { result: 'Hi.' } }],
  ['salute-transcription', {}, { document: { result: ['Hi.'] } }],
  [
    'gemini-transcription',
    {},
    {
      document: {
        candidates: [{ content: { parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 40,
          candidatesTokenCount: 2,
          promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 32 }],
        },
      },
    },
  ],
];

const ranked = [
  { index: 1, relevance_score: 0.5, relevanceScore: 0.5, score: 0.5 },
  { index: 0, relevance_score: 0.1, relevanceScore: 0.1, score: 0.1 },
];
const rerankTask = { query: 'parcel', documents: ['one', 'two'], topN: 2, maxTokensPerDoc: undefined };
const rerank: [keyof typeof rerankEngines, WireTarget['quirks'], unknown][] = [
  ['cohere-rerank', {}, { results: ranked, meta: { billed_units: { search_units: 1 } } }],
  ['bedrock-rerank', {}, { results: ranked }],
  ['rerank', {}, { results: ranked, usage: { total_tokens: 6 } }],
  ['rerank', { rerank_form: 'voyage' } as WireTarget['quirks'], { data: ranked, usage: { total_tokens: 6 } }],
  ['rerank', { rerank_form: 'tei' } as WireTarget['quirks'], ranked],
];

const vector = [0.5, -0.5];
const embeddingTask = { inputs: ['Hi'], encoding: 'float', dimensions: undefined, inputType: undefined };
const embeddings: [keyof typeof embeddingEngines, unknown][] = [
  ['openai-embeddings', { data: [{ index: 0, embedding: vector }], usage: { prompt_tokens: 1, total_tokens: 1 } }],
  ['google-embeddings', { embeddings: [{ values: vector }], usageMetadata: { promptTokenCount: 1 } }],
  ['cohere-embeddings', { embeddings: { float: [vector] }, meta: { billed_units: { input_tokens: 1 } } }],
  ['bedrock-titan-embeddings', { embedding: vector, inputTextTokenCount: 1 }],
  ['bedrock-cohere-embeddings', { embeddings: { float: [vector] } }],
  [
    'voyage-multimodal',
    { data: [{ index: 0, embedding: vector }], usage: { text_tokens: 1, image_pixels: 0, total_tokens: 1 } },
  ],
];

/** The wires, with one entry for each form of their answers. */
export async function mediaWires(): Promise<MediaWire[]> {
  const recording = await readRecording(waveFile(1), 'file');
  const wires: Omit<MediaWire, 'name'>[] = [
    ...images.map(([wire, target, bodies]) => ({
      wire,
      engine: imageEngines[wire],
      task: { prompt: 'A fox', count: 1, pictures: [] },
      target,
      bodies,
    })),
    ...speech.map(([wire, format, quirks, bodies]) => ({
      wire,
      engine: speechEngines[wire],
      task: spoken(format),
      target: { quirks },
      bodies: () => bodies,
    })),
    ...transcription.map(([wire, more, body]) => ({
      wire,
      engine: transcriptionEngines[wire],
      task: { ...heard, ...more, recording },
      target: { quirks: { transcript_events: true } as WireTarget['quirks'] },
      bodies: () => [body],
    })),
    ...rerank.map(([wire, quirks, content]) => ({
      wire,
      engine: rerankEngines[wire],
      task: rerankTask,
      target: { quirks },
      bodies: () => document(content),
    })),
    ...embeddings.map(([wire, content]) => ({
      wire,
      engine: embeddingEngines[wire],
      task: embeddingTask,
      target: {},
      bodies: () => document(content),
    })),
  ];
  return wires.map((wire, index) => ({ ...wire, name: `${index} ${(wire as { wire?: string }).wire}` }));
}
