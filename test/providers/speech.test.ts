import { wavHeader } from '../../lambdas/platform/wav-header.ts';
import { describe, expect, it } from 'vitest';
import type { WireOf } from '../../lambdas/catalog/wires.ts';
import type {
  BatchRequest,
  DecodeStream,
  OpenedResponse,
  Send,
  StreamPart,
} from '../../lambdas/providers/batch-engine.ts';
import { characterCount, type SpeechTarget, type SpeechTask } from '../../lambdas/providers/speech/codec.ts';
import { speechEngines } from '../../lambdas/providers/speech/engines.ts';
import { tuningFields, unsentFields } from '../../lambdas/providers/speech/speaker.ts';

type SpeechWireName = WireOf<'tts'>;
type AnyQuirks = SpeechTarget['quirks'] & Record<string, unknown>;

const speechTarget = (more: Partial<SpeechTarget> = {}): SpeechTarget => ({
  providerId: 'acme',
  upstreamModel: 'voice-1',
  maxOutputTokens: undefined,
  supportedParameters: tuningFields,
  quirks: {},
  ...more,
});
const speechTask = (more: Partial<SpeechTask> = {}): SpeechTask => ({
  text: 'Hello, world.',
  format: 'wav',
  voice: 'ann',
  speed: undefined,
  instructions: undefined,
  requiresParameters: false,
  ...more,
});

const speechRequestOf = (wire: SpeechWireName, more: Partial<SpeechTask> = {}, quirks: AnyQuirks = {}): BatchRequest =>
  [...speechEngines[wire].batchRequests(speechTask(more), speechTarget({ quirks }))][0]!;
const pathAndBody = (wire: SpeechWireName, more: Partial<SpeechTask> = {}, quirks: AnyQuirks = {}) => {
  const { path, body } = speechRequestOf(wire, more, quirks).request;
  return [path, JSON.parse(String(body)) as object];
};

async function* chunksOf(chunks: readonly (string | Buffer)[]): AsyncGenerator<Buffer, void> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}

interface Received {
  sound: Buffer;
  usage?: StreamPart<Buffer>['usage'];
  error?: unknown;
  estimatedTokens: number;
}

async function received(
  wire: SpeechWireName,
  chunks: readonly (string | Buffer)[],
  more: Partial<SpeechTask> = {},
  { type = 'application/octet-stream', quirks = {} }: { type?: string; quirks?: AnyQuirks } = {},
): Promise<Received> {
  const response: OpenedResponse = { headers: { 'content-type': type }, body: chunksOf(chunks) };
  const open: Send['open'] = <Event>(_request: BatchRequest, decode: DecodeStream<Event>) =>
    Promise.resolve({ parts: decode(response) });
  const send = Object.assign(() => Promise.reject(new Error('not whole')), { open });
  const { parts } = await speechEngines[wire].answer(speechTask(more), speechTarget({ quirks }), send);
  const found: Received = { sound: Buffer.alloc(0), estimatedTokens: 0 };
  for await (const { event, usage, error, estimatedTokens = 0 } of parts) {
    found.sound = Buffer.concat([found.sound, event ?? Buffer.alloc(0)]);
    found.usage = usage ?? found.usage;
    found.error ??= error;
    found.estimatedTokens += estimatedTokens;
  }
  return found;
}

const events = (...documents: unknown[]) => documents.map((document) => `data: ${JSON.stringify(document)}\n\n`);
const base64 = (bytes: string | Buffer) => Buffer.from(bytes as string).toString('base64');
const samples = Buffer.from([1, 2, 3, 4, 5, 6]);

const geminiEvent = (data: unknown, more: object = {}) => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data } }] }, ...more }],
});

describe('a request for speech', () => {
  it('has the form of OpenAI’s API, with events only if the model has them', () => {
    const voice = { id: 'v_1' };
    const tuned = { format: 'mp3', voice, speed: 1.5, instructions: 'Calmly' } as const;
    const sent = { model: 'voice-1', input: 'Hello, world.', response_format: 'mp3' };

    expect(pathAndBody('openai-speech', tuned, { voice_objects: true })).toEqual([
      '/audio/speech',
      { ...sent, voice, speed: 1.5, instructions: 'Calmly' },
    ]);
    expect(pathAndBody('openai-speech', { format: 'mp3', voice }, { speech_events: true })).toEqual([
      '/audio/speech',
      { ...sent, voice: 'v_1', stream_format: 'sse' },
    ]);
  });

  it.each([
    ['text', { text: 'Calmly:\nHello, world.' }],
    ['style', { text: 'Hello, world.', speechMetadata: { style: 'Calmly' } }],
  ])('has the form of Gemini’s API, with instructions as %s', (instructions_form, part) => {
    const [path, body] = pathAndBody('gemini-speech', { voice: 'Kore', instructions: 'Calmly' }, { instructions_form });

    expect(path).toBe('/models/voice-1:streamGenerateContent?alt=sse');
    expect(body).toEqual({
      contents: [{ role: 'user', parts: [part] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    });
  });

  it('forbids a service that may store requests to store it', () => {
    const [, body] = pathAndBody('gemini-speech', { voice: 'Kore' }, { stores_requests: true });

    expect(body).toMatchObject({ store: false });
  });

  it.each([
    ['mp3', 'mp3_44100_128'],
    ['opus', 'opus_48000_128'],
    ['wav', 'pcm_24000'],
    ['pcm', 'pcm_24000'],
  ] as const)('has the form of ElevenLabs’ API: %s', (format, output) => {
    expect(pathAndBody('elevenlabs-speech', { format, voice: 'JB+1', speed: 0.8 })).toEqual([
      `/v1/text-to-speech/JB%2B1/stream?output_format=${output}`,
      { text: 'Hello, world.', model_id: 'voice-1', voice_settings: { speed: 0.8 } },
    ]);
  });

  it('has the further fields of ElevenLabs’ API if the endpoint lists them', () => {
    const further = {
      voice_settings: { stability: 0.5 },
      seed: 7,
      language_code: 'en',
      previous_text: 'Well.',
      next_text: 'Fine?',
      output_format: 'mp3_22050_32',
    };

    expect(pathAndBody('elevenlabs-speech', { voice: 'JB', speed: 0.8, ...further })).toEqual([
      '/v1/text-to-speech/JB/stream?output_format=mp3_22050_32',
      {
        text: 'Hello, world.',
        model_id: 'voice-1',
        voice_settings: { stability: 0.5, speed: 0.8 },
        seed: 7,
        language_code: 'en',
        previous_text: 'Well.',
        next_text: 'Fine?',
      },
    ]);
  });

  it.each([
    ['mp3', 'encoding=mp3'],
    ['opus', 'encoding=opus&container=ogg'],
    ['wav', 'encoding=linear16&container=wav&sample_rate=24000'],
    ['pcm', 'encoding=linear16&container=none&sample_rate=24000'],
  ] as const)('has the form of Deepgram’s API: %s', (format, query) => {
    expect(pathAndBody('deepgram-speech', { format, voice: 'thalia-en' })).toEqual([
      `/v1/speak?model=voice-1-thalia-en&${query}`,
      { text: 'Hello, world.' },
    ]);
    expect(pathAndBody('deepgram-speech', { format, voice: 'voice-1-thalia-en' })[0]).toContain(
      'model=voice-1-thalia-en&',
    );
  });

  it('has the form of Mistral’s API, which has no raw 16-bit sound', () => {
    const body = { model: 'voice-1', input: 'Hello, world.', voice_id: 'ann', response_format: 'wav', stream: true };

    expect(pathAndBody('mistral-speech', { format: 'pcm' })).toEqual(['/audio/speech', body]);
    expect(pathAndBody('mistral-speech', { format: 'mp3' })).toEqual([
      '/audio/speech',
      { ...body, response_format: 'mp3' },
    ]);
  });

  it('has the form of xAI’s API', () => {
    expect(pathAndBody('xai-speech', { format: 'mp3', speed: 1.2 })).toEqual([
      '/tts',
      {
        text: 'Hello, world.',
        voice_id: 'ann',
        language: 'auto',
        output_format: { codec: 'mp3', sample_rate: 24_000, bit_rate: 128_000 },
        speed: 1.2,
      },
    ]);
  });

  it.each([
    ['marina', 'ru-RU'],
    ['john', 'en-US'],
  ])('has the form of SpeechKit, with the language of the voice: %s', (voice, lang) => {
    const { path, body, headers } = speechRequestOf('yandex-speech', {
      format: 'wav',
      voice,
      speed: 2,
      text: 'а & б',
    }).request;

    expect([path, headers]).toEqual([
      '/speech/v1/tts:synthesize',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ]);
    expect(Object.fromEntries(new URLSearchParams(String(body)))).toEqual({
      text: 'а & б',
      voice,
      lang,
      format: 'lpcm',
      sampleRateHertz: '48000',
      speed: '2',
    });
  });

  it('has the form of SaluteSpeech, whose body is the text', () => {
    expect(speechRequestOf('salute-speech', { format: 'pcm', voice: 'Nec_24000', text: 'Привет' }).request).toEqual({
      path: '/rest/v1/text:synthesize?format=pcm16&voice=Nec_24000',
      headers: { 'content-type': 'application/text' },
      body: 'Привет',
    });
  });

  it('is bounded by its characters, and by tokens if the model counts tokens', () => {
    const text = 'Посылка 📦';

    expect(speechRequestOf('openai-speech', { text })).toMatchObject({
      outputTokens: 0,
      pieces: { characters: { max: 9, estimated: 9 } },
    });
    const slow = speechRequestOf('openai-speech', { text, speed: 0.5 }, { audio_tokens_per_second: 20 });
    const usual = speechRequestOf('openai-speech', { text }, { audio_tokens_per_second: 20 });
    expect(usual.outputTokens).toBeGreaterThan(20 * 5);
    expect(slow.outputTokens).toBe(usual.outputTokens * 2);
  });

  it('omits parameters that the endpoint does not list, and uses its default voice', () => {
    const target = speechTarget({ supportedParameters: [], quirks: { default_voice: 'bob' } });
    const task = speechTask({ voice: undefined, speed: 2, instructions: 'Calmly' });
    const [request] = speechEngines['openai-speech'].batchRequests(task, target);

    expect(JSON.parse(String(request!.request.body))).toEqual({
      model: 'voice-1',
      input: task.text,
      voice: 'bob',
      response_format: 'wav',
    });
  });

  // https://github.com/vercel/ai, openai-speech-model.ts: `voice = 'alloy'`
  it.each([
    ['bob', 'bob'],
    ['alloy', 'alloy'],
    [undefined, 'alloy'],
  ])('takes the voice that the AI SDK sends by default as no choice, if the default is %s', (usual, sent) => {
    const target = speechTarget({ quirks: usual ? { default_voice: usual } : {} });
    const task = speechTask({ voice: 'alloy' });
    const [request] = speechEngines['openai-speech'].batchRequests(task, target);

    expect(JSON.parse(String(request!.request.body))).toMatchObject({ voice: sent });
    expect(unsentFields(task, target)).toEqual(sent === 'alloy' ? [] : ['voice']);
  });
});

const refusedWires: [SpeechWireName, Partial<SpeechTask>, AnyQuirks, string, RegExp][] = [
  ['gemini-speech', { format: 'mp3' }, {}, 'response_format', /also if a request names no format; use wav or pcm/],
  ['elevenlabs-speech', { format: 'flac' }, {}, 'response_format', /"flac".*mp3 or opus or wav or pcm/],
  ['mistral-speech', { format: 'aac' }, {}, 'response_format', /"aac"/],
  ['xai-speech', { format: 'opus' }, {}, 'response_format', /"opus"/],
  ['yandex-speech', { format: 'pcm' }, {}, 'response_format', /"pcm"/],
  ['salute-speech', { format: 'mp3' }, {}, 'response_format', /"mp3"/],
  ['salute-speech', { format: 'pcm', voice: 'Nec_8000' }, {}, 'voice', /_24000/],
  ['openai-speech', { format: 'flac' }, { speech_formats: ['mp3'] }, 'response_format', /use mp3/],
  ['openai-speech', { text: '📦📦📦' }, { max_characters: 2 }, 'input', /at most 2 characters.*has 3/],
  ['openai-speech', { speed: 2 }, { speed_range: [0.7, 1.2] }, 'speed', /between 0.7 and 1.2/],
  ['openai-speech', { voice: undefined }, {}, 'voice', /no default voice/],
];

describe('a request that a provider does not accept', () => {
  it.each(refusedWires)('is refused by name: %s %j', (wire, more, quirks, field, message) => {
    expect(() => speechRequestOf(wire, more, quirks)).toThrow(
      expect.objectContaining({
        status: 400,
        message: expect.stringMatching(message) as string,
        metadata: expect.objectContaining({ field }) as object,
      }),
    );
  });
});

const wavStart = (sound: Buffer) => ({
  tag: sound.toString('latin1', 0, 4),
  rate: sound.readUInt32LE(24),
  bytes: sound.length,
});

const chunk = (name: string, length: number) => {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(length, 4);
  return head;
};
const list = Buffer.concat([chunk('LIST', 5), Buffer.alloc(6, 'i')]);

describe('sound of a provider', () => {
  it.each([
    'openai-speech',
    'deepgram-speech',
    'xai-speech',
    'salute-speech',
    'elevenlabs-speech',
    'yandex-speech',
  ] as const)('is forwarded as it comes: %s', async (wire) => {
    const format = wire === 'salute-speech' ? 'opus' : 'mp3';

    expect(await received(wire, [samples.subarray(0, 2), samples.subarray(2)], { format })).toMatchObject({
      sound: samples,
    });
  });

  it.each([
    ['elevenlabs-speech', 24_000],
    ['yandex-speech', 48_000],
  ] as const)('without a header gets that of a WAV file: %s', async (wire, rate) => {
    const { sound } = await received(wire, [samples], { format: 'wav' });

    expect(wavStart(sound)).toEqual({ tag: 'RIFF', rate, bytes: 44 + samples.length });
  });

  it('comes from OpenAI in events, with the usage at the end', async () => {
    const chunks = events(
      { type: 'speech.audio.delta', audio: base64('ab') },
      { type: 'speech.audio.delta', audio: '' },
      { type: 'speech.audio.delta', audio: base64('cd') },
      { type: 'speech.audio.done', usage: { input_tokens: 4, output_tokens: 20, total_tokens: 24 } },
    );

    const { sound, usage } = await received('openai-speech', chunks, {}, { quirks: { speech_events: true } });

    expect(sound.toString()).toBe('abcd');
    expect(usage).toEqual({ input_tokens: 4, output_tokens: 20, output_tokens_details: { audio_tokens: 20 } });
  });

  it('is an error if an event between its parts states one', async () => {
    const error = { type: 'speech.audio.error', error: { message: 'The voice is not loaded' } };
    const chunks = events({ type: 'keepalive' }, { type: 'speech.audio.delta', audio: base64('ab') }, error);

    expect(await received('openai-speech', chunks, {}, { quirks: { speech_events: true } })).toMatchObject({ error });
  });

  const spoken = (file: Buffer) =>
    events(
      ...[file.subarray(0, 10), file.subarray(10, 50), file.subarray(50)].map((bytes) => ({
        type: 'speech.audio.delta',
        audio_data: base64(bytes),
      })),
      { type: 'speech.audio.done', usage: { completion_tokens: 99_840 } },
    );

  // Some servers put texts before the samples, or after them: https://github.com/roryeckel/wyoming_openai/issues/73
  it.each([
    ['a header of unknown length', Buffer.concat([wavHeader(24_000), samples])],
    ['a header of zero length', Buffer.concat([wavHeader(24_000, { dataBytes: 0 }), samples])],
    ['texts before the samples', Buffer.concat([wavHeader(24_000, { chunk: list }), samples])],
    ['texts after the samples', Buffer.concat([wavHeader(24_000, { dataBytes: samples.length }), samples, list])],
  ])('comes from Mistral in events, as pcm only the samples: %s', async (_what, file) => {
    expect(await received('mistral-speech', spoken(file), { format: 'pcm' })).toMatchObject({
      sound: samples,
      usage: undefined,
    });
    expect((await received('mistral-speech', spoken(file), { format: 'wav' })).sound).toEqual(file);
  });

  const lastGeminiEvent = {
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 50, totalTokenCount: 53 },
  };

  it.each([
    ['pcm', 4],
    ['wav', 48],
  ] as const)('comes from Gemini as raw sound: %s', async (format, bytes) => {
    const chunks = events(geminiEvent(base64('ab')), geminiEvent(base64('cd')), lastGeminiEvent);

    const { sound, usage } = await received('gemini-speech', chunks, { format });

    expect(sound).toHaveLength(bytes);
    expect(sound.subarray(-4).toString()).toBe('abcd');
    expect(usage).toEqual({ input_tokens: 3, output_tokens: 50, output_tokens_details: { audio_tokens: 50 } });
  });

  it('reports the unusual price class of Gemini', async () => {
    const usageMetadata = { ...lastGeminiEvent.usageMetadata, trafficType: 'ON_DEMAND_PRIORITY' };
    const chunks = events(geminiEvent(base64('ab')), { ...lastGeminiEvent, usageMetadata });

    expect((await received('gemini-speech', chunks, { format: 'pcm' })).usage).toMatchObject({
      service_tier: 'on_demand_priority',
    });
  });

  it('has no usage if the provider reports zero tokens for the sound', async () => {
    const chunks = events(
      { type: 'speech.audio.delta', audio: base64('ab') },
      { type: 'speech.audio.done', usage: { input_tokens: 4, output_tokens: 0 } },
    );
    const gemini = events(geminiEvent(base64('ab')), {
      ...lastGeminiEvent,
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 0 },
    });

    const heard = await received('openai-speech', chunks, {}, { quirks: { speech_events: true } });
    expect([heard.usage, (await received('gemini-speech', gemini, { format: 'pcm' })).usage]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is estimated by its length for models with tokens', async () => {
    const second = Buffer.alloc(48_000);

    const found = await received(
      'openai-speech',
      [second],
      { format: 'pcm' },
      { quirks: { audio_tokens_per_second: 20 } },
    );

    expect(found.estimatedTokens).toBeCloseTo(20);
  });

  const refusals = events({ candidates: [{ finishReason: 'SAFETY' }] }, { promptFeedback: { blockReason: 'OTHER' } });
  it.each(refusals)('that Gemini refuses to speak is an error: %s', async (refusal) => {
    expect(await received('gemini-speech', [refusal])).toMatchObject({
      error: { message: expect.stringMatching(/refused to speak/) as string },
    });
  });

  // https://github.com/google-gemini/cookbook/issues/1231
  it('that Gemini ends with the reason OTHER is the provider’s failure', async () => {
    const [ended] = events({ candidates: [{ content: {}, finishReason: 'OTHER' }] });

    await expect(received('gemini-speech', [ended!])).rejects.toMatchObject({ failure: 'broken' });
  });
});

const eventQuirks = { speech_events: true };
const malformed: [string, SpeechWireName, string[], AnyQuirks][] = [
  [
    'events that end without a last one',
    'openai-speech',
    events({ type: 'speech.audio.delta', audio: base64('ab') }),
    eventQuirks,
  ],
  ['sound that is no base64', 'openai-speech', events({ type: 'speech.audio.delta', audio: '?' }), eventQuirks],
  ['sound that is a number', 'mistral-speech', events({ type: 'speech.audio.delta', audio_data: 5 }), {}],
  ['an event that is no JSON', 'openai-speech', ['data: {"type":\n\n'], eventQuirks],
  ['an empty stream', 'gemini-speech', [''], {}],
  ['Gemini’s events without a reason of the end', 'gemini-speech', events({ candidates: [{}] }), {}],
  [
    'sound in another format',
    'gemini-speech',
    events({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/ogg', data: base64('ab') } }] } }] }),
    {},
  ],
  [
    'sound with another rate',
    'gemini-speech',
    events({
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/L16;rate=48000', data: base64('ab') } }] } }],
    }),
    {},
  ],
];

describe('a malformed answer to a request for speech', () => {
  it.each(malformed)('is the failure of the provider: %s', async (_what, wire, chunks, quirks) => {
    await expect(received(wire, chunks, {}, { quirks })).rejects.toThrow(
      expect.objectContaining({ name: 'UpstreamError' }),
    );
  });

  it('is a file that is no WAV, if only its samples are wanted', async () => {
    const chunks = events({ type: 'speech.audio.delta', audio_data: base64('ID3 is no WAV file') });

    await expect(received('mistral-speech', chunks, { format: 'pcm' })).rejects.toThrow(/not a WAV file/);
  });

  const inPlace: [string, SpeechWireName, string, string, AnyQuirks][] = [
    ['JSON with its type', 'deepgram-speech', 'application/json', '{"err_msg":"no"}', {}],
    ['JSON with the type of sound', 'xai-speech', 'audio/mpeg', '{"error":{"message":"no"}}', {}],
    ['a page', 'yandex-speech', 'text/html', '<html></html>', {}],
    [
      'a page with the type of sound',
      'elevenlabs-speech',
      'audio/mpeg',
      '<!DOCTYPE html><html><body>Welcome to nginx, which is a proxy</body></html>',
      {},
    ],
    ['a document in place of events', 'openai-speech', 'application/json', '{"error":{"message":"no"}}', eventQuirks],
    [
      'a document in place of Gemini’s events',
      'gemini-speech',
      'application/json',
      '{"error":{"code":429,"message":"no"}}',
      {},
    ],
    ['an error among events', 'mistral-speech', 'text/event-stream', 'data: {"object":"error","message":"no"}\n\n', {}],
  ];
  it.each(inPlace)('in place of sound is an error: %s', async (_what, wire, type, text, quirks) => {
    for (const chunks of [[text], [text.slice(0, 1), text.slice(1)]]) {
      const { sound, error } = await received(wire, chunks, {}, { type, quirks });

      expect(error).toBeTruthy();
      expect(sound).toHaveLength(0);
    }
  });

  it('is not mistaken for text if raw sound begins like it', async () => {
    const sound = Buffer.concat([Buffer.from('{'), Buffer.alloc(200, 1)]);

    expect(await received('openai-speech', [sound], { format: 'pcm' })).toMatchObject({ sound });
  });
});

describe('the count of characters', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Привет', 6],
    ['📦', 1],
    ['e\u0301', 2],
    ['\ud83d', 1],
  ])('counts code points: %j', (text, count) => {
    expect(characterCount(text)).toBe(count);
  });
});
