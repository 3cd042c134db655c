import { beforeAll, describe, expect, it } from 'vitest';
import type { TranscriptionQuirks } from '../../lambdas/catalog/transcription-quirks.ts';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import { readRecording } from '../../lambdas/inference/recordings/read-recording.ts';
import { wholeSend } from '../../lambdas/providers/batch-engine.ts';
import type {
  Recording,
  Transcript,
  TranscriptionTarget,
  TranscriptionTask,
} from '../../lambdas/providers/transcription/codec.ts';
import { transcriptionEngines } from '../../lambdas/providers/transcription/engines.ts';
import { segmentsOfParts } from '../../lambdas/providers/transcription/read-parts.ts';
import { mp3File, waveFile } from '../support/recordings.ts';

type TranscriptionWireName = WireOf<'stt'>;

let recording: Recording;
beforeAll(async () => {
  recording = await readRecording(waveFile(2.5), 'file');
});

const ALL_FIELDS = ['language', 'languages', 'prompt', 'keywords', 'temperature', 'timestamp_granularities'];

const task = (more: Partial<TranscriptionTask> = {}): TranscriptionTask => ({
  recording,
  languages: [],
  prompt: undefined,
  keywords: [],
  temperature: undefined,
  needsTimes: false,
  needsAllFields: false,
  streams: false,
  translates: false,
  ...more,
});

interface Place {
  quirks?: TranscriptionQuirks;
  lists?: readonly string[];
}

const target = ({ quirks = {}, lists = ALL_FIELDS }: Place = {}): TranscriptionTarget => ({
  providerId: 'p',
  upstreamModel: 'model-1',
  maxOutputTokens: undefined,
  supportedParameters: lists,
  quirks,
});

const requestOf = (wire: TranscriptionWireName, more: Partial<TranscriptionTask> = {}, place: Place = {}) =>
  [...transcriptionEngines[wire].batchRequests(task(more), target(place))][0]!;

/** Returns the fields of a form in order. A file is shown by its name, type and size. */
async function formOf(...asked: Parameters<typeof requestOf>): Promise<{ path: string; fields: [string, string][] }> {
  const { path, headers, body } = requestOf(...asked).request;
  const form = await new Response(new Uint8Array(body as Buffer), { headers }).formData();
  const fields = [...form].map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : `${value.name} ${value.type} ${value.size}`,
  ]);
  return { path, fields };
}

const FILE = ['file', 'recording.wav audio/wav 40044'];

describe('a request for a transcript', () => {
  it('has the form of OpenAI’s API, with the file as its last part', async () => {
    const all = { languages: ['ru'], prompt: 'Parcels', keywords: ['DHL'], temperature: 0, needsTimes: true };
    const lists = ALL_FIELDS.filter((name) => name !== 'languages');

    expect(await formOf('openai-transcription', all, { lists })).toEqual({
      path: '/audio/transcriptions',
      fields: [
        ['model', 'model-1'],
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'segment'],
        ['timestamp_granularities[]', 'word'],
        ['language', 'ru'],
        ['prompt', 'Parcels'],
        ['keywords[]', 'DHL'],
        ['temperature', '0'],
        FILE,
      ],
    });
  });

  it('names several languages if the model lists them', async () => {
    const { fields } = await formOf('openai-transcription', { languages: ['ru', 'en'] });

    expect(fields.filter(([name]) => name.startsWith('lang'))).toEqual([
      ['languages[]', 'ru'],
      ['languages[]', 'en'],
    ]);
  });

  it('has only the fields that the endpoint lists', async () => {
    const all = { languages: ['ru'], prompt: 'Parcels', keywords: ['DHL'], temperature: 0 };

    expect((await formOf('openai-transcription', all, { lists: [] })).fields.map(([name]) => name)).toEqual([
      'model',
      'response_format',
      'file',
    ]);
  });

  it('has its own path for a translation', async () => {
    const { path, fields } = await formOf('openai-transcription', { translates: true, needsTimes: true });

    expect(path).toBe('/audio/translations');
    expect(fields).toEqual([['model', 'model-1'], ['response_format', 'verbose_json'], FILE]);
  });

  it('has Mistral’s names', async () => {
    const quirks = { transcription_form: 'mistral' } as const;

    expect((await formOf('openai-transcription', { keywords: ['DHL'], needsTimes: true }, { quirks })).fields).toEqual([
      ['model', 'model-1'],
      ['timestamp_granularities', 'segment'],
      ['context_bias', 'DHL'],
      FILE,
    ]);
  });

  it('has a temperature above 1 only if the provider accepts it', async () => {
    const { fields } = await formOf('elevenlabs-transcription', { temperature: 1.5 });

    expect(fields).toContainEqual(['temperature', '1.5']);
    await expect(formOf('openai-transcription', { temperature: 1.5 })).rejects.toMatchObject({
      status: 400,
      metadata: { field: 'temperature' },
    });
  });

  it('has ElevenLabs’ names', async () => {
    const all = { languages: ['ru'], keywords: ['DHL'], temperature: 0.5, needsTimes: true };

    expect(await formOf('elevenlabs-transcription', all)).toEqual({
      path: '/v1/speech-to-text',
      fields: [
        ['model_id', 'model-1'],
        ['timestamps_granularity', 'word'],
        ['tag_audio_events', 'false'],
        ['language_code', 'ru'],
        ['keyterms', 'DHL'],
        ['temperature', '0.5'],
        FILE,
      ],
    });
  });

  it('has xAI’s names, and formats numbers only in a known language', async () => {
    expect((await formOf('xai-transcription')).fields).toEqual([FILE]);
    expect((await formOf('xai-transcription', { languages: ['en'], keywords: ['DHL'] })).fields).toEqual([
      ['format', 'true'],
      ['language', 'en'],
      ['keyterm', 'DHL'],
      FILE,
    ]);
  });

  it('is the recording itself for Deepgram', () => {
    const { request } = requestOf('deepgram-transcription', { keywords: ['a b', 'c'] });

    expect(request.path).toBe('/v1/listen?model=model-1&smart_format=true&detect_language=true&keyterm=a+b&keyterm=c');
    expect(request.headers).toEqual({ 'content-type': 'audio/wav' });
    expect(request.body).toBe(recording.bytes);
    expect(requestOf('deepgram-transcription', { languages: ['ru'] }).request.path).toContain('language=ru');
    expect(requestOf('deepgram-transcription', { languages: ['ru', 'en'] }).request.path).toContain('language=multi');
  });

  it('has samples without a header for Yandex', () => {
    const { request } = requestOf('yandex-transcription', { languages: ['ru'] });

    expect(request.path).toBe('/speech/v1/stt:recognize?topic=model-1&lang=ru-RU&format=lpcm&sampleRateHertz=8000');
    expect(request.body).toEqual(recording.bytes.subarray(44));
  });

  it('names the samples for SaluteSpeech', () => {
    const { request } = requestOf('salute-transcription', { languages: ['kk'] });

    expect(request.path).toBe('/rest/v1/speech:recognize?model=model-1&language=kk-KZ');
    expect(request.headers).toEqual({ 'content-type': 'audio/x-pcm;bit=16;rate=8000' });
  });

  it('is a chat with the recording for Gemini', () => {
    const { path, body } = requestOf('gemini-transcription', { prompt: 'Parcels', keywords: ['DHL'] }).request;
    const { contents } = JSON.parse(String(body)) as {
      contents: { parts: [{ inlineData: object }, { text: string }] }[];
    };

    expect(path).toBe('/models/model-1:generateContent');
    const [{ inlineData }, { text }] = contents[0]!.parts;
    expect(inlineData).toEqual({ mimeType: 'audio/wav', data: recording.bytes.toString('base64') });
    expect(text).toMatch(/Transcribe.*word for word[^]*DHL[^]*Parcels/);
  });

  it('forbids a service that may store requests to store it', () => {
    const { body } = requestOf('gemini-transcription', {}, { quirks: { stores_requests: true } }).request;

    expect(JSON.parse(String(body))).toMatchObject({ store: false });
  });

  it.each<[TranscriptionWireName, () => Promise<Recording>, TranscriptionQuirks]>([
    ['xai-transcription', () => readRecording(Buffer.from('1a45dfa3000000000000', 'hex'), 'file'), {}],
    ['yandex-transcription', () => readRecording(mp3File(1), 'file'), {}],
    ['yandex-transcription', () => readRecording(waveFile(1, { channels: 2 }), 'file'), {}],
    ['yandex-transcription', () => readRecording(waveFile(1, { sampleRate: 44_100 }), 'file'), {}],
    ['openai-transcription', () => readRecording(waveFile(31), 'file'), { max_seconds: 30 }],
    ['openai-transcription', () => readRecording(waveFile(1), 'file'), { max_file_bytes: 16_000 }],
  ])('is refused by name for a recording that %s does not take', async (wire, read, quirks) => {
    const unfit = await read();

    expect(() => requestOf(wire, { recording: unfit }, { quirks })).toThrow(
      expect.objectContaining({ status: 400, metadata: expect.objectContaining({ field: 'file' }) as object }),
    );
  });
});

const seconds = (
  wire: TranscriptionWireName,
  quirks: TranscriptionQuirks = {},
  more: Partial<TranscriptionTask> = {},
) => requestOf(wire, more, { quirks }).pieces!.audioSeconds;

describe('the bound of a transcript', () => {
  it('is the whole seconds of the recording, and its maximum has one more if the provider reports seconds', () => {
    expect(seconds('salute-transcription')).toEqual({ max: 3, estimated: 3 });
    expect(seconds('openai-transcription')).toEqual({ max: 4, estimated: 3 });
  });

  it('has the minimum and the steps that the provider bills', () => {
    expect(seconds('openai-transcription', { min_billed_seconds: 10 })).toEqual({ max: 10, estimated: 10 });
    expect(seconds('yandex-transcription', { billed_step_seconds: 15 })).toEqual({ max: 15, estimated: 15 });
  });

  // ElevenLabs charges 20% more with keyterms (https://elevenlabs.io/docs/api-reference/speech-to-text/convert).
  it('has the surcharge for keywords only if they are sent', () => {
    const quirks = { keyword_surcharge_percent: 20 };
    const keywords = ['DHL'];
    const unlisted = requestOf('elevenlabs-transcription', { keywords }, { quirks, lists: [] });

    expect(seconds('elevenlabs-transcription', quirks, { keywords })).toEqual({ max: 5, estimated: 4 });
    expect(seconds('elevenlabs-transcription', quirks)).toEqual({ max: 4, estimated: 3 });
    expect(unlisted.pieces!.audioSeconds).toEqual({ max: 4, estimated: 3 });
  });

  it('is that of the bytes if the length is unknown', async () => {
    const unreadable = await readRecording(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(60_000)]), 'file');

    expect(seconds('elevenlabs-transcription', {}, { recording: unreadable })).toEqual({ max: 82, estimated: 21 });
  });

  it('covers the tokens of the recording and of its text', () => {
    const { promptTokens, outputTokens } = requestOf(
      'gemini-transcription',
      {},
      { quirks: { audio_tokens_per_second: 32 } },
    );

    expect([promptTokens, outputTokens]).toEqual([80 + 512, 60 + 512]);
  });
});

async function answered(wire: TranscriptionWireName, body: unknown, more: Partial<TranscriptionTask> = {}) {
  const send = wholeSend(() => Promise.resolve(body));
  return (await transcriptionEngines[wire].answer(task({ needsTimes: true, ...more }), target(), send)) as Transcript;
}

const words = [
  { word: 'Hello.', start: 0, end: 0.5 },
  { word: 'You', start: 0.6, end: 1 },
];
const parts = [
  { text: 'Hello.', start: 0, end: 0.5 },
  { text: 'You', start: 0.6, end: 1 },
];
const deepgramAnswer = (alternative: object) => ({
  metadata: { duration: 2.5 },
  results: { channels: [{ detected_language: 'en', alternatives: [alternative] }] },
});
const geminiAnswer = (text: string, finishReason = 'STOP') => ({
  candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text }] }, finishReason }],
});

describe('an answer with a transcript', () => {
  it.each<[TranscriptionWireName, object]>([
    ['openai-transcription', { text: 'Hello. You', language: 'english', duration: 2.5, words }],
    ['xai-transcription', { text: 'Hello. You', language: 'english', duration: 2.5, words: parts }],
    ['deepgram-transcription', deepgramAnswer({ transcript: 'Hello. You', words })],
    [
      'elevenlabs-transcription',
      {
        text: 'Hello. You',
        language_code: 'eng',
        words: [
          { ...parts[0], type: 'word' },
          { text: ' ', type: 'spacing', start: null, end: null },
          { ...parts[1], type: 'word' },
        ],
      },
    ],
  ])('of %s has a text, its words, and segments made from them', async (wire, body) => {
    const { text, segments, words: spoken } = await answered(wire, body);

    expect({ text, segments, spoken }).toEqual({ text: 'Hello. You', segments: parts, spoken: parts });
  });

  it('of ElevenLabs has the probabilities of its language and words', async () => {
    const { probabilities } = await answered('elevenlabs-transcription', {
      text: 'Hello. You',
      language_probability: 0.98,
      words: [
        { ...parts[0], type: 'word', logprob: -0.1 },
        { text: ' ', type: 'spacing', logprob: -5 },
        { ...parts[1], type: 'word', logprob: 'high' },
      ],
    });

    expect(probabilities).toEqual({ language: 0.98, words: [-0.1, undefined] });
  });

  it('of OpenAI has the values of Whisper that are numbers', async () => {
    const decoding = { seek: 0, tokens: [50364, 639], temperature: 0.2, avg_logprob: -0.3, no_speech_prob: 0.01 };
    const segments = [
      { id: 0, text: 'Hello', start: 0, end: 2, ...decoding, compression_ratio: null },
      { id: 1, text: 'you', start: 2, end: 3, tokens: ['a'] },
    ];

    expect((await answered('openai-transcription', { text: 'Hello you', segments })).segments).toEqual([
      { text: 'Hello', start: 0, end: 2, decoding },
      { text: 'you', start: 2, end: 3, decoding: {} },
    ]);
  });

  it('of Mistral has its own segments', async () => {
    const segments = [{ text: 'Hello', start: 0, end: 2, speaker_id: 'speaker_1' }];

    expect(await answered('openai-transcription', { text: 'Hello', segments })).toMatchObject({
      segments: [{ text: 'Hello', start: 0, end: 2, speaker: 'speaker_1' }],
    });
  });

  it.each<[TranscriptionWireName, object]>([
    ['yandex-transcription', { result: 'Hello' }],
    ['salute-transcription', { result: ['Hello'], status: 200 }],
    ['gemini-transcription', geminiAnswer(' Hello\n')],
  ])('of %s has only a text', async (wire, body) => {
    expect(await answered(wire, body)).toMatchObject({ text: 'Hello', segments: [], words: [] });
  });

  it('has preferred times if the endpoint returns them', async () => {
    const preferring = { needsTimes: false, prefersTimes: true };

    expect(await answered('openai-transcription', { text: 'a', words }, preferring)).toMatchObject({ words: parts });
    expect((await formOf('openai-transcription', preferring)).fields).toContainEqual([
      'response_format',
      'verbose_json',
    ]);
    expect((await formOf('openai-transcription', preferring, { lists: [] })).fields).toContainEqual([
      'response_format',
      'json',
    ]);
  });

  it('keeps words whose times are negative, reversed or absent', async () => {
    const { words: kept } = await answered('openai-transcription', {
      text: 'a b c d',
      words: [
        { word: 'a', start: -0.1, end: 1 },
        { word: 'b', start: 2, end: 1.5 },
        { word: 'c' },
        { word: 'd', start: null, end: 3 },
      ],
    });
    expect(kept.map(({ text, start, end }) => [text, start, end])).toEqual([
      ['a', 0, 1],
      ['b', 2, 2],
      ['c', 2, 2],
      ['d', 2, 3],
    ]);
  });

  it('has no times unless they were requested', async () => {
    expect(await answered('openai-transcription', { text: 'a', words }, { needsTimes: false })).toMatchObject({
      segments: [],
      words: [],
    });
  });

  it.each<[TranscriptionWireName, unknown]>([
    ...Object.keys(transcriptionEngines).flatMap((wire) =>
      [null, [], 'text', {}, { text: null }, { result: 5 }, { candidates: [] }].map(
        (body): [TranscriptionWireName, unknown] => [wire as TranscriptionWireName, body],
      ),
    ),
    ['openai-transcription', { text: 'a', words: {} }],
    ['openai-transcription', { text: 'a', words: [{ word: 5, start: 0, end: 1 }] }],
    ['openai-transcription', { text: 'a', words: [{ word: 'a', start: 0, end: '1' }] }],
    ['openai-transcription', { text: 'a', segments: [{ text: 'a', start: '0', end: 1 }] }],
    ['elevenlabs-transcription', { text: 'a', words: [{ type: 'word', text: null, start: 0, end: 1 }] }],
    ['deepgram-transcription', { results: { channels: [{ alternatives: [] }] } }],
    ['salute-transcription', { result: ['a', 5] }],
    ['gemini-transcription', geminiAnswer('a', 'MAX_TOKENS')],
    ['gemini-transcription', geminiAnswer('a', 'OTHER')],
  ])('of %s without a valid transcript is the provider’s failure: %j', async (wire, body) => {
    await expect(answered(wire, body)).rejects.toMatchObject({
      name: 'UpstreamError',
      failure: expect.stringMatching(/^(malformed|broken)$/) as string,
    });
  });

  it.each([geminiAnswer('a', 'SAFETY'), geminiAnswer('a', 'RECITATION'), { promptFeedback: { blockReason: 'OTHER' } }])(
    'that Gemini refuses to write is a refusal of the content: %j',
    async (body) => {
      await expect(answered('gemini-transcription', body)).rejects.toMatchObject({ failure: 'refused' });
    },
  );
});

async function partsOf(events: unknown[]) {
  async function* chunks() {
    for (const event of events)
      yield Buffer.from(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  const open = (_request: unknown, decode: (response: object) => AsyncGenerator) => ({
    parts: decode({ headers: {}, body: chunks() }),
  });
  const place = target({ quirks: { transcript_events: true } });
  const send = Object.assign(() => Promise.reject(new Error('whole')), { open });
  const answer = await transcriptionEngines['openai-transcription'].answer(
    task({ streams: true }),
    place,
    send as never,
  );
  return Array.fromAsync(
    (answer as { parts: AsyncGenerator<{ event?: { delta: string }; usage?: object; error?: unknown }> }).parts,
  );
}

const delta = (text: string) => ({ type: 'transcript.text.delta', delta: text });

describe('a streamed transcript', () => {
  it('has the texts and the usage', async () => {
    const usage = { type: 'duration', seconds: 2.5 };
    const done = { type: 'transcript.text.done', text: 'One two', usage };

    expect(await partsOf([delta('One'), delta(' two'), { type: 'transcript.text.segment', id: 0 }, done])).toEqual([
      { event: { delta: 'One' }, estimatedTokens: 0.75 },
      { event: { delta: ' two' }, estimatedTokens: 1 },
      { usage: { audio_seconds: 3, input_tokens: 0, output_tokens: 0 } },
    ]);
  });

  it('has the whole text if no delta came, or if the answer is one document', async () => {
    const done = { type: 'transcript.text.done', text: 'One' };

    expect(await partsOf([done])).toMatchObject([{ event: { delta: 'One' } }]);
    expect(await partsOf([{ text: 'One' }])).toMatchObject([{ event: { delta: 'One' } }]);
  });

  it('is an error if the provider states one', async () => {
    const error = { error: { message: 'Overloaded' } };

    const ended = { type: 'transcript.text.error', ...error };

    expect(await partsOf([delta('One'), error])).toMatchObject([{ event: { delta: 'One' } }, { error }]);
    expect(await partsOf([{ type: 'keepalive' }, ended])).toMatchObject([{ error: ended }]);
  });

  it.each([
    [[]],
    [[delta('One')]],
    [['{']],
    [[{ type: 'transcript.text.delta' }]],
    [[{ type: 'transcript.text.done' }]],
  ])('is the provider’s failure without an end or a text: %j', async (events) => {
    await expect(partsOf(events)).rejects.toMatchObject({ name: 'UpstreamError' });
  });
});

describe('the usage of a transcript', () => {
  const usage = (wire: TranscriptionWireName, body: unknown) => transcriptionEngines[wire].readUsage(body, {});

  it.each<[TranscriptionWireName, object, object | undefined]>([
    [
      'openai-transcription',
      { usage: { type: 'duration', seconds: 2.1 } },
      { audio_seconds: 3, input_tokens: 0, output_tokens: 0 },
    ],
    [
      'openai-transcription',
      { usage: { prompt_audio_seconds: 3, prompt_tokens: 5 } },
      { audio_seconds: 3, input_tokens: 0, output_tokens: 0 },
    ],
    [
      'openai-transcription',
      { usage: { type: 'tokens', input_tokens: 30, input_token_details: { audio_tokens: 25 }, output_tokens: 7 } },
      { input_tokens: 5, audio_input_tokens: 25, output_tokens: 7 },
    ],
    [
      'openai-transcription',
      { usage: { input_tokens: 3, input_token_details: { audio_tokens: 25 }, output_tokens: 7 } },
      { input_tokens: 0, audio_input_tokens: 3, output_tokens: 7 },
    ],
    [
      'openai-transcription',
      { usage: { type: 'tokens', input_tokens: 30, output_tokens: 7, total_tokens: 37 } },
      { input_tokens: 0, audio_input_tokens: 30, output_tokens: 7 },
    ],
    [
      'openai-transcription',
      { usage: { type: 'tokens', input_tokens: 30, input_token_details: { text_tokens: 4 }, output_tokens: 7 } },
      { input_tokens: 4, audio_input_tokens: 26, output_tokens: 7 },
    ],
    [
      'openai-transcription',
      { usage: { input_tokens: 3, input_token_details: { text_tokens: 4 }, output_tokens: 7 } },
      { input_tokens: 3, audio_input_tokens: 0, output_tokens: 7 },
    ],
    [
      'openai-transcription',
      { duration: 2.1, x_groq: { id: 'req_1' } },
      { audio_seconds: 3, input_tokens: 0, output_tokens: 0 },
    ],
    [
      'openai-transcription',
      { usage: { type: 'duration', seconds: 3 }, duration: 2.1 },
      { audio_seconds: 3, input_tokens: 0, output_tokens: 0 },
    ],
    ['openai-transcription', { duration: '11.2' }, { audio_seconds: 12, input_tokens: 0, output_tokens: 0 }],
    ['openai-transcription', { duration: '1e3' }, undefined],
    ['openai-transcription', { text: 'a' }, undefined],
    ['openai-transcription', { usage: { seconds: -1 } }, undefined],
    [
      'deepgram-transcription',
      { metadata: { duration: 2.01 } },
      { audio_seconds: 3, input_tokens: 0, output_tokens: 0 },
    ],
    ['deepgram-transcription', { metadata: { duration: '2' } }, undefined],
    ['xai-transcription', { duration: 2 }, { audio_seconds: 2, input_tokens: 0, output_tokens: 0 }],
    ['elevenlabs-transcription', { text: 'a' }, undefined],
    [
      'elevenlabs-transcription',
      { text: 'a', audio_duration_secs: 2.4 },
      { audio_seconds: 3, input_tokens: 0, output_tokens: 0 },
    ],
    [
      'gemini-transcription',
      {
        usageMetadata: {
          promptTokenCount: 90,
          candidatesTokenCount: 10,
          thoughtsTokenCount: 5,
          promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 80 }],
        },
      },
      { input_tokens: 10, audio_input_tokens: 80, output_tokens: 15, output_tokens_details: { thinking_tokens: 5 } },
    ],
    [
      'gemini-transcription',
      { usageMetadata: { promptTokenCount: 90, candidatesTokenCount: 10 } },
      { input_tokens: 0, audio_input_tokens: 90, output_tokens: 10 },
    ],
    [
      'gemini-transcription',
      {
        usageMetadata: { promptTokenCount: 90, candidatesTokenCount: 10, promptTokensDetails: [], serviceTier: 'flex' },
      },
      { input_tokens: 0, audio_input_tokens: 90, output_tokens: 10, service_tier: 'flex' },
    ],
    [
      'gemini-transcription',
      {
        usageMetadata: {
          promptTokenCount: 90,
          candidatesTokenCount: 10,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: 10 }],
        },
      },
      { input_tokens: 10, audio_input_tokens: 80, output_tokens: 10 },
    ],
    ['gemini-transcription', {}, undefined],
  ])('of %s is read from %j', (wire, body, expected) => {
    expect(usage(wire, body)).toEqual(expected);
  });
});

const word = (text: string, start: number, end = start + 0.4, speaker?: string) => ({
  text,
  start,
  end,
  ...(speaker ? { speaker } : {}),
});

describe('segments of a transcript that are made from words', () => {
  it('end with a sentence, at a pause, and with the speaker', () => {
    const spoken = [word('One', 0), word('two.', 0.5), word('Three', 1), word('four', 3), word('five', 3.5, 4, 'B')];

    expect(segmentsOfParts(spoken).map(({ text, start, end }) => [text, start, end])).toEqual([
      ['One two.', 0, 0.9],
      ['Three', 1, 1.4],
      ['four', 3, 3.4],
      ['five', 3.5, 4],
    ]);
  });

  it.each([
    [['阿公', '的', '助聽器', '，', '好。'], '阿公的助聽器，好。'],
    [['世界', 'で', '一番', 'OpenAI', 'の', '絵'], '世界で一番 OpenAI の絵'],
    [['สวัสดี', 'ครับ'], 'สวัสดีครับ'],
    [['안녕', '하세요.'], '안녕 하세요.'],
  ])('have spaces only between words of scripts with spaces: %j', (texts, joined) => {
    const spoken = texts.map((text, index) => word(text, index * 0.5));

    expect(segmentsOfParts(spoken).map(({ text }) => text)).toEqual([joined]);
  });

  it('have the length of a subtitle', () => {
    const spoken = Array.from({ length: 100 }, (_, index) => word('word', index * 0.5));

    const segments = segmentsOfParts(spoken);

    expect(segments.every(({ text, start, end }) => text.length <= 84 && end - start <= 7)).toBe(true);
    expect(segments.map(({ text }) => text).join(' ')).toBe(spoken.map(({ text }) => text).join(' '));
  });
});
