import { shortRecording } from '../support/client-api-bodies.ts';
import { said } from '../support/gateway.ts';

export interface HistoryRequest {
  kind: string;
  path: string;
  body: object;
  isStreamed: boolean;
  /** Milliseconds after the beginning of the answer at which the client disconnects. */
  leavesAfterMs?: number;
  hasIdempotencyKey?: boolean;
  tags?: string;
}

type Random = () => number;

const models = [
  'sandbox/claude',
  'sandbox/gpt',
  'sandbox/gemini',
  'sandbox/priced',
  'outside/claude',
  'outside/fallback',
];
const breakages = [
  'break=3',
  'reset=2',
  'fail=3',
  'garbage=2',
  'error=500',
  'error=429',
  'usage=none',
  'reset=0',
  'refuse',
];
const question = { angry: { type: 'noul', instructions: 'Is the writer angry?' } };

const pick = <Choice>(random: Random, choices: readonly Choice[]): Choice =>
  choices[Math.floor(random() * choices.length)]!;
const between = (random: Random, least: number, most: number) => Math.floor(least + random() * (most - least));

/** Returns the directives for a short answer. Most answers are short, so that a lease pays for many of them. */
function shortWords(random: Random): string {
  return `tokens=${between(random, 2, 40)} delay=${between(random, 0, 8)}`;
}

type Make = (random: Random) => Omit<HistoryRequest, 'kind' | 'tags'>;

const talk = (random: Random, words = shortWords(random)) => [said('Write a few words.', words)];

const makers: Record<string, { weight: number; make: Make }> = {
  messages: {
    weight: 20,
    make: (random) => ({
      path: '/messages',
      isStreamed: false,
      body: { model: pick(random, models), max_tokens: between(random, 20, 120), messages: talk(random) },
    }),
  },
  'messages, streamed': {
    weight: 20,
    make: (random) => ({
      path: '/messages',
      isStreamed: true,
      body: { model: pick(random, models), max_tokens: between(random, 20, 120), stream: true, messages: talk(random) },
    }),
  },
  chat: {
    weight: 8,
    make: (random) => ({
      path: '/chat/completions',
      isStreamed: false,
      body: { model: pick(random, models), max_tokens: 100, messages: talk(random) },
    }),
  },
  'chat, streamed': {
    weight: 8,
    make: (random) => ({
      path: '/chat/completions',
      isStreamed: true,
      body: { model: pick(random, models), max_tokens: 100, stream: true, messages: talk(random) },
    }),
  },
  'chat, drawn': {
    weight: 2,
    make: (random) => ({
      path: '/chat/completions',
      isStreamed: true,
      body: {
        model: pick(random, ['sandbox/illustrator', 'sandbox/sketcher']),
        modalities: ['image', 'text'],
        stream: true,
        messages: talk(random),
      },
    }),
  },
  'chat, music': {
    weight: 1,
    make: (random) => ({
      path: '/chat/completions',
      isStreamed: true,
      body: { model: 'sandbox/composer', modalities: ['text', 'audio'], stream: true, messages: talk(random) },
    }),
  },
  'chat, spoken': {
    weight: 2,
    make: (random) => ({
      path: '/chat/completions',
      isStreamed: true,
      body: {
        model: 'sandbox/narrator',
        modalities: ['text', 'audio'],
        audio: { voice: 'alloy', format: 'pcm16' },
        stream: true,
        messages: talk(random),
      },
    }),
  },
  responses: {
    weight: 5,
    make: (random) => ({
      path: '/responses',
      isStreamed: false,
      body: { model: 'sandbox/reasoner', max_output_tokens: 100, input: talk(random) },
    }),
  },
  'responses, streamed': {
    weight: 5,
    make: (random) => ({
      path: '/responses',
      isStreamed: true,
      body: { model: 'sandbox/reasoner', max_output_tokens: 100, stream: true, input: talk(random) },
    }),
  },
  'long stream': {
    weight: 4,
    make: (random) => ({
      path: '/messages',
      isStreamed: true,
      body: {
        model: pick(random, ['outside/claude', 'sandbox/claude']),
        max_tokens: 1_000,
        stream: true,
        messages: talk(random, `tokens=${between(random, 200, 600)} delay=${between(random, 10, 25)}`),
      },
    }),
  },
  'broken provider': {
    weight: 6,
    make: (random) => ({
      path: pick(random, ['/messages', '/chat/completions']),
      isStreamed: true,
      body: {
        model: pick(random, ['sandbox/claude', 'sandbox/gpt', 'outside/claude']),
        max_tokens: 100,
        stream: true,
        messages: talk(random, `tokens=20 delay=2 ${pick(random, breakages)}`),
      },
    }),
  },
  'client leaves': {
    weight: 6,
    make: (random) => ({
      path: '/messages',
      isStreamed: true,
      leavesAfterMs: between(random, 0, 700),
      body: {
        model: pick(random, ['sandbox/claude', 'outside/claude']),
        max_tokens: 300,
        stream: true,
        messages: talk(random, 'tokens=150 delay=10'),
      },
    }),
  },
  'Idempotency-Key': {
    weight: 6,
    make: (random) => ({
      path: '/messages',
      isStreamed: random() < 0.5,
      hasIdempotencyKey: true,
      body: { model: 'sandbox/claude', max_tokens: 60, stream: random() < 0.5, messages: talk(random) },
    }),
  },
  embeddings: {
    weight: 4,
    make: (random) => ({
      path: '/embeddings',
      isStreamed: false,
      body: {
        model: 'sandbox/embedder',
        input: Array.from({ length: between(random, 1, 80) }, (_, index) => `text ${index}`),
      },
    }),
  },
  speech: {
    weight: 4,
    make: (random) => ({
      path: '/audio/speech',
      isStreamed: true,
      body: {
        model: pick(random, ['sandbox/speaker', 'sandbox/storyteller']),
        voice: 'alto',
        input: 'text '.repeat(between(random, 1, 40)),
        stream_format: pick(random, ['audio', 'sse']),
      },
    }),
  },
  rerank: {
    weight: 4,
    make: (random) => ({
      path: '/rerank',
      isStreamed: false,
      body: {
        model: pick(random, ['sandbox/ranker', 'sandbox/unit-ranker', 'sandbox/bedrock-ranker']),
        query: 'text',
        documents: Array.from({ length: between(random, 1, 150) }, (_, index) => `text ${index}`),
      },
    }),
  },
  images: {
    weight: 4,
    make: (random) => ({
      path: pick(random, ['/images', '/images/generations']),
      isStreamed: false,
      body: {
        model: pick(random, ['sandbox/painter', 'sandbox/token-painter']),
        prompt: 'text',
        n: between(random, 1, 5),
      },
    }),
  },
  transcription: {
    weight: 4,
    make: (random) => ({
      path: pick(random, ['/audio/transcriptions', '/audio/translations']),
      isStreamed: false,
      body: { model: 'sandbox/scribe', input_audio: { data: shortRecording } },
    }),
  },
  decisions: {
    weight: 4,
    make: (random) => ({
      path: '/decisions',
      isStreamed: false,
      body: {
        model: pick(random, ['sandbox/judge', 'sandbox/jury', 'sandbox/pundit']),
        state: 'Where is my parcel?',
        questions: question,
      },
    }),
  },
  'free model': {
    weight: 3,
    make: (random) => ({
      path: '/messages',
      isStreamed: false,
      body: { model: 'sandbox/gpt:free', max_tokens: 40, messages: talk(random) },
    }),
  },
  video: {
    weight: 0.3,
    make: () => ({
      path: '/videos',
      isStreamed: false,
      body: { model: 'sandbox/filmmaker', prompt: 'A test card.\n@sandbox hook=300', duration: 5 },
    }),
  },
};

const total = Object.values(makers).reduce((sum, { weight }) => sum + weight, 0);

export function randomRequest(random: Random): HistoryRequest {
  let place = random() * total;
  for (const [kind, { weight, make }] of Object.entries(makers)) {
    place -= weight;
    if (place < 0) return { kind, ...make(random), ...randomTags(random) };
  }
  return randomRequest(random);
}

export const reportedTags = ['project', 'team'];

function randomTags(random: Random): { tags?: string } {
  const tags = reportedTags.flatMap((name) =>
    random() < 0.6 ? [`${name}=${pick(random, ['lake', 'a#b', 'deep sea'])}`] : [],
  );
  return tags.length === 0 ? {} : { tags: tags.join(',') };
}
