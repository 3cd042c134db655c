/** Bodies of requests to client APIs, with fields that clients were observed to send. */

import type { FormPart } from './form-mutations.ts';
import { waveFile } from './recordings.ts';

const directives = '\n@sandbox delay=0 tokens=2';
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const textFile = `data:text/plain;base64,${Buffer.from('Text.').toString('base64')}`;
const parameters = { type: 'object', properties: { at: { type: 'string' }, how: { enum: ['far', 'near'] } } };
const look = { type: 'function', function: { name: 'look', description: 'Looks.', parameters } };
const flatLook = { type: 'function', name: 'look', description: 'Looks.', parameters, strict: false };
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x","n":1.50}' } };
const hello = { role: 'user', content: `Hi${directives}` };

const earlierImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

/** Bodies that request images; the next ones request speech and music. */
export const drawingBodies = [
  { messages: [hello], modalities: ['image', 'text'], image_config: { aspect_ratio: '1:1', image_size: '512' } },
  {
    messages: [hello, { role: 'assistant', content: 'A cat.', images: [earlierImage] }, hello],
    modalities: ['image'],
    image_config: { aspect_ratio: '21:9' },
    stream: true,
  },
];
export const speakingBodies = [
  { messages: [hello], modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
  {
    messages: [hello, { role: 'assistant', content: null, audio: { id: 'audio_1', transcript: 'Hello.' } }, hello],
    modalities: ['audio', 'text'],
    audio: { voice: 'alloy', format: 'pcm16' },
    stream: true,
  },
];

export const musicBodies = [
  { messages: [hello], modalities: ['text', 'audio'], max_tokens: 9 },
  { messages: [hello], modalities: ['audio', 'text'], audio: { format: 'mp3' }, stream: true },
];

export const chatBodies = [
  { messages: [hello] },
  {
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }] },
      { ...hello, name: 'ann' },
      { role: 'assistant', content: null, refusal: 'No.', reasoning: 'Hm.', annotations: [], audio: null },
      { role: 'system', content: 'Now.' },
      hello,
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 3,
    temperature: 0.5,
    top_p: 0.9,
    stop: ['END'],
    frequency_penalty: 0,
    presence_penalty: 0,
    user: 'u',
    metadata: { a: 'b' },
    store: false,
    n: 1,
    usage: { include: true },
    prompt_cache_key: 'c',
  },
  {
    messages: [
      hello,
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 'gw1.x', format: 'unknown', index: 0 },
          { type: 'reasoning.encrypted', data: 'gw1.y', format: 'unknown', index: 1 },
        ],
        tool_calls: [call, { ...call, id: 'call_2', index: 1 }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Far.' },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: `Near.${directives}` }] },
    ],
    tools: [look],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'low', exclude: false },
    max_tokens: 2_000,
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: pixel, detail: 'low' } },
          { type: 'file', file: { filename: 'a.txt', file_data: textFile } },
          { type: 'text', text: `What?${directives}` },
        ],
      },
    ],
    provider: { sort: 'price', allow_fallbacks: true },
    models: ['sandbox/gpt'],
    session_id: 's',
    max_tokens: 2,
  },
  {
    messages: [{ role: 'user', content: 'Hi\n@sandbox tool delay=0' }],
    tools: [look],
    tool_choice: { type: 'function', function: { name: 'look' } },
    stream: true,
    max_tokens: 4,
  },
];

export const responsesBodies = [
  { input: `Hi${directives}` },
  {
    // Some clients send null for unused fields.
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `Hi${directives}` }] }],
    include: null,
    instructions: '',
    metadata: {},
    previous_response_id: null,
    reasoning: {},
    store: false,
    truncation: null,
    user: '',
    text: {},
    stream: true,
    max_output_tokens: 2,
  },
  {
    instructions: 'Be short.',
    input: [
      { role: 'developer', content: 'Now.' },
      hello,
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'elsewhere' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"at":"x"}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
      { type: 'function_call_output', id: 'o_1', call_id: 'call_1', output: 'Far.' },
      {
        type: 'custom_tool_call_output',
        call_id: 'call_2',
        output: [{ type: 'input_text', text: `Done.${directives}` }],
      },
    ],
    tools: [
      flatLook,
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      { type: 'namespace', name: 'agents', tools: [] },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    client_metadata: { session: 'a' },
    max_output_tokens: 2_000,
    stream: true,
  },
  {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: pixel, detail: 'auto' },
          { type: 'input_file', filename: 'a.txt', file_data: textFile },
          { type: 'input_text', text: `What?${directives}` },
        ],
      },
    ],
    truncation: 'auto',
    service_tier: 'auto',
    max_output_tokens: 2,
  },
  {
    input: [{ role: 'user', content: 'Hi\n@sandbox tool delay=0' }],
    tools: [flatLook, { type: 'custom', name: 'patch' }, { type: 'web_search' }],
    tool_choice: {
      type: 'allowed_tools',
      mode: 'required',
      tools: [
        { type: 'function', name: 'look' },
        { type: 'custom', name: 'patch' },
        { type: 'mcp', server_label: 's' },
      ],
    },
    max_output_tokens: 4,
  },
  {
    input: [
      hello,
      // Some clients give every item a role.
      { type: 'reasoning', role: 'assistant', id: 'rs_1', summary: [] },
      { type: 'function_call', role: 'assistant', call_id: 'call_1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', role: 'tool', call_id: 'call_1', output: `Far.${directives}` },
    ],
    tools: [flatLook],
    tool_choice: { type: 'function', name: 'look' },
    max_output_tokens: 2,
  },
];

export const embeddingsBodies: object[] = [
  { input: 'Text.' },
  { input: ['One.', 'Two.'], encoding_format: 'base64', dimensions: 3, user: 'ann', input_type: null },
  { input: [1, 2, 3], encoding_format: 'float', provider: { order: ['sandbox-openai'], max_price: { prompt: '100' } } },
  { input: [[1], [2, 3]] },
];

export const rerankBodies: object[] = [
  { query: 'Where?', documents: ['Here.', 'There.'] },
  { query: 'Where?', documents: [{ text: 'Here.' }, 'There.', { text: 'Anywhere.', image: null }], top_n: 2 },
  {
    query: 'Where?',
    documents: ['Here.'],
    top_k: 1,
    return_documents: false,
    stream: false,
    user: 'ann',
    provider: { order: ['sandbox-openai'], max_price: { prompt: '100' } },
  },
];

/** The sandbox does not decode these first bytes of a PNG. */
const PICTURE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA';

export const imageBodies: object[] = [
  { prompt: 'A fox' },
  { prompt: 'A fox', n: 2, size: '512x512', quality: 'auto', output_format: 'png', response_format: 'b64_json' },
  {
    prompt: 'A fox',
    aspect_ratio: '1:1',
    resolution: '1K',
    background: 'opaque',
    output_compression: 50,
    seed: 7,
    stream: false,
    user: 'ann',
    input_references: [{ type: 'image_url', image_url: { url: PICTURE } }],
    provider: { order: ['sandbox-openai'], max_price: { image: '100' } },
  },
];

export const imageEditBodies: object[] = [
  { prompt: 'A fox', images: [{ image_url: PICTURE }], quality: 'low' },
  { prompt: 'A fox', images: [{ image_url: PICTURE }], mask: { image_url: PICTURE }, input_fidelity: 'high', n: 1 },
];

export const speechBodies: object[] = [
  { input: 'Hello.', voice: 'alto' },
  { input: 'Hello.', voice: { id: 'tenor' }, response_format: 'pcm', speed: 1.5, stream_format: 'sse' },
  {
    input: 'Hello, how are you?',
    voice: 'basso',
    response_format: 'wav',
    instructions: 'Calmly',
    stream: true,
    user: 'ann',
    models: ['sandbox/storyteller'],
    provider: { order: ['sandbox-openai'], max_price: { prompt: '100' } },
  },
];

export const convertedTextBodies: object[] = [
  { text: 'Hello.' },
  {
    text: 'Hello, how are you?',
    voice_settings: { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1.5 },
    seed: 1,
    language_code: 'en',
    previous_text: 'Well.',
    next_text: 'Fine?',
    previous_request_ids: ['a'],
    pronunciation_dictionary_locators: [],
    apply_text_normalization: 'auto',
    models: ['sandbox/storyteller'],
    provider: { order: ['sandbox-openai'], max_price: { prompt: '100' } },
  },
];

/** Recording of a tenth of a second, in Base64. */
export const shortRecording = waveFile(0.1, { says: 'Hello.' }).toString('base64');

export const transcriptionBodies: object[] = [
  { input_audio: { data: shortRecording, format: 'wav' } },
  {
    input_audio: { data: shortRecording },
    language: 'en',
    prompt: 'Parcels.',
    keywords: ['DHL', 'UPS'],
    temperature: 0.5,
    response_format: 'verbose_json',
    timestamp_granularities: ['segment', 'word'],
    stream: false,
    user: 'ann',
  },
  {
    input_audio: { data: shortRecording },
    response_format: 'vtt',
    models: ['sandbox/token-scribe'],
    provider: { order: ['sandbox-openai'], max_price: { prompt: '100' } },
  },
];

const recordingPart: FormPart = { name: 'file', value: waveFile(0.1, { says: 'Hello.' }), fileName: 'hello.wav' };

export const transcriptionForms: FormPart[][] = [
  [recordingPart],
  [
    { name: 'language', value: 'en' },
    recordingPart,
    { name: 'prompt', value: 'Parcels.' },
    { name: 'keywords[]', value: 'DHL' },
    { name: 'keywords[]', value: 'UPS' },
    { name: 'temperature', value: '0.5' },
    { name: 'response_format', value: 'verbose_json' },
    { name: 'timestamp_granularities[]', value: 'word' },
    { name: 'user', value: 'ann' },
  ],
  [
    recordingPart,
    { name: 'models[]', value: 'sandbox/token-scribe' },
    { name: 'provider', value: '{"order":["sandbox-openai"],"max_price":{"prompt":"100"}}' },
  ],
];

export const convertedRecordingForms: FormPart[][] = [
  [recordingPart],
  [
    { name: 'language_code', value: 'eng' },
    recordingPart,
    { name: 'keyterms', value: 'DHL' },
    { name: 'keyterms', value: 'UPS' },
    { name: 'temperature', value: '0.5' },
    { name: 'timestamps_granularity', value: 'word' },
    { name: 'tag_audio_events', value: 'true' },
    { name: 'diarize', value: 'false' },
    { name: 'seed', value: '7' },
  ],
  [
    recordingPart,
    { name: 'timestamps_granularity', value: 'none' },
    { name: 'models[]', value: 'sandbox/token-scribe' },
  ],
];

const picturePart: FormPart = {
  name: 'image',
  value: Buffer.from(PICTURE.slice(PICTURE.indexOf(',') + 1), 'base64'),
  fileName: 'a.png',
};
const promptPart: FormPart = { name: 'prompt', value: 'A fox' };

export const imageEditForms: FormPart[][] = [
  [promptPart, picturePart, { name: 'quality', value: 'low' }],
  [
    { ...picturePart, name: 'image[]' },
    { ...picturePart, name: 'image[]' },
    { ...picturePart, name: 'mask' },
    promptPart,
    { name: 'n', value: '1' },
    { name: 'input_fidelity', value: 'high' },
    { name: 'provider', value: '{"order":["sandbox-openai"]}' },
  ],
];
