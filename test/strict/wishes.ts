/**
 * Features that a client may use, and functions that build the body in each client API. If an API has no field for a
 * feature, its body does not have the feature.
 */

import { CLAUDES_SIGNATURE } from './anthropic.ts';
import type { JsonObject } from './rules.ts';

export const wishes = {
  api: ['messages', 'chat', 'responses'],
  thinking: ['unsaid', 'off', 'low', 'medium', 'high', 'xhigh', 'max', 'budget', 'large_budget', 'adaptive', 'minimal'],
  choice: [
    'no_tools',
    'unsaid',
    'auto',
    'required',
    'named',
    'none',
    'single',
    'required_single',
    'named_single',
    'none_single',
  ],
  tool: [
    'plain',
    'untyped',
    'empty',
    'union_root',
    'odd_name',
    'digit_name',
    'long_name',
    'constrained',
    'strict',
    'strict_loose',
    'strict_and_loose',
    'strict_and_closed',
    'many',
    'old_draft',
    'typed_union',
    'reference_root',
    'recursive',
    'strict_recursive',
    'odd_keywords',
    'references',
    'strict_references',
  ],
  sampling: ['unsaid', 'cool', 'zero', 'hot', 'nucleus', 'both', 'top_k', 'penalties', 'everything'],
  tuning: [
    'unsaid',
    'seed',
    'large_seed',
    'negative_seed',
    'min_p',
    'logit_bias',
    'verbose',
    'logprobs',
    'few_logprobs',
    'many_logprobs',
    'everything',
  ],
  format: ['unsaid', 'closed', 'loose', 'recursive', 'references', 'empty', 'json'],
  history: [
    'question',
    'turns',
    'call',
    'parallel_calls',
    'foreign_ids',
    'repeated_ids',
    'instruction_within',
    'instruction_after_call',
    'signed_thinking',
    'unsigned_thinking',
    'sealed_thinking',
    'call_and_words',
    'words_after_call',
    'late_words',
    'failed_result',
    'failed_image_result',
    'image_result',
    'empty_result',
    'orphan_result',
    'repeated_result',
    'open_call',
    'silent_answer',
    'begun_answer',
    'begun_answer_space',
    'cut_off_thinking',
    'model_first',
    'call_first',
    'calls_alone',
    'users_in_a_row',
  ],
  blank: ['no', 'beside', 'before_call', 'turn', 'system', 'empty_turn', 'result'],
  marks: ['no', 'one', 'six', 'hour_last', 'on_thinking', 'whole'],
  stop: ['unsaid', 'one', 'five', 'twenty', 'blank'],
  limit: ['unsaid', 'one', 'short', 'usual', 'huge'],
  media: ['no', 'image', 'image_webp', 'image_url', 'pdf', 'text_document'],
  user: ['no', 'yes'],
  surrogate: ['no', 'text', 'result', 'system'],
  // Claude Code sends deferred tools, examples of input, betas, and the field that clears old thinking.
  agent: ['no', 'deferred_tool', 'clearing', 'examples', 'betas', 'leftovers'],
} as const;
export type Wishes = { -readonly [Kind in keyof typeof wishes]: (typeof wishes)[Kind][number] };
export type WishKind = keyof typeof wishes;

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const webp = Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0').toString('base64');
const pdf = Buffer.from('%PDF-1.4\n%%EOF').toString('base64');
const HALF = ' \ud83d';

/** Call of an earlier turn. */
interface Call {
  id: string;
  name: string;
}

interface SaidTurn {
  role: 'user' | 'system' | 'assistant';
  texts: string[];
  thinking?: string;
  signature?: string;
  calls?: Call[];
  media?: boolean;
}

interface ResultsTurn {
  role: 'results';
  results: { id: string; text: string; failed?: boolean; image?: boolean }[];
  texts: string[];
}

type Turn = SaidTurn | ResultsTurn;

function toolName({ tool }: Wishes): string {
  switch (tool) {
    case 'odd_name':
      return 'files.read мир';
    case 'digit_name':
      return '21st_look';
    case 'long_name':
      return `look_${'x'.repeat(90)}`;
    default:
      return 'look';
  }
}

/** Recursive schemas as generators write them. */
const recursiveParts = {
  Node: {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
    required: ['name', 'children'],
    additionalProperties: false,
  },
  Json: {
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { $ref: '#/$defs/Json' } },
      { type: 'object', additionalProperties: { $ref: '#/$defs/Json' } },
    ],
  },
};

/**
 * References as schema generators write them: next to a description, in the form of older drafts, and to a property.
 */
const referring = (): JsonObject => ({
  $id: 'Parameters Schema',
  type: 'object',
  properties: {
    place: { $ref: '#/definitions/Place', description: 'Where.', default: {} },
    from: { $ref: '#/properties/place' },
    time: { $ref: '#/$defs/Time' },
    link: { type: 'string', format: 'uri' },
  },
  required: ['place', 'from', 'time', 'link'],
  additionalProperties: false,
  definitions: {
    Place: {
      type: 'object',
      description: 'A place.',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
  },
  $defs: { Time: { type: 'string', format: 'date-time' } },
});

function schemaOf({ tool }: Wishes): JsonObject {
  const place = { type: 'string', description: 'A place.' };
  switch (tool) {
    case 'untyped':
      return { properties: { place } };
    case 'empty':
      return {};
    case 'union_root':
      return {
        anyOf: [
          { type: 'object', properties: { place } },
          { type: 'object', properties: { at: { type: 'integer' } } },
        ],
      };
    case 'constrained':
    case 'strict_loose':
      return {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          place: { ...place, minLength: 1, pattern: '^[a-z]+$' },
          count: { type: 'integer', minimum: 1, exclusiveMaximum: 10, multipleOf: 2 },
          kinds: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, uniqueItems: true },
          choice: { oneOf: [{ type: 'string', format: 'ipv4' }, { const: 7 }, { type: ['number', 'null'] }] },
          more: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['place'],
      };
    case 'old_draft':
      return {
        $schema: 'http://json-schema.org/draft-04/schema#',
        type: 'object',
        properties: {
          place: { ...place, required: true },
          count: { type: 'integer', minimum: 0, exclusiveMinimum: true },
          pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
          kinds: { type: 'array' },
          anything: { type: 'any' },
        },
      };
    case 'typed_union':
      return {
        type: 'object',
        properties: {
          place: { type: 'object', properties: { name: place }, anyOf: [{ required: ['name'] }, { required: ['id'] }] },
          skill: { type: ['string', 'array'], anyOf: [{ type: 'string' }, { type: 'array' }] },
          more: {},
        },
        oneOf: [{ required: ['place'] }, { required: ['skill'] }],
      };
    case 'reference_root':
      return {
        $ref: '#/definitions/Arguments',
        definitions: { Arguments: { type: 'object', properties: { place }, required: ['place'] } },
      };
    case 'recursive':
      return {
        type: 'object',
        properties: { place, tree: { $ref: '#/$defs/Node' }, any: { $ref: '#/$defs/Json' } },
        $defs: recursiveParts,
      };
    case 'odd_keywords':
      return {
        type: 'object',
        description: null,
        properties: {
          place: { ...place, enum: ['', 'here'] },
          kind: { enum: ['a', 'b'] },
          none: { type: 'string', enum: [] },
          any: true,
          'filter[город]': { type: 'string' },
          list: { type: 'array', items: true },
          inner: { type: 'object', properties: null, required: ['missing'] },
        },
        required: ['place', 'missing', 'filter[город]'],
      };
    case 'references':
    case 'strict_references':
      return referring();
    case 'strict_recursive':
      return {
        type: 'object',
        properties: { place, inner: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
        required: ['place', 'inner'],
        additionalProperties: false,
      };
    case 'strict':
    case 'strict_and_loose':
    case 'strict_and_closed':
      return { type: 'object', properties: { place }, required: ['place'], additionalProperties: false };
    default:
      return { type: 'object', properties: { place }, required: ['place'] };
  }
}

function declaredTools(row: Wishes): { name: string; schema: JsonObject; strict: boolean }[] {
  if (row.choice === 'no_tools') return [];
  const strict = row.tool.startsWith('strict');
  const first = { name: toolName(row), schema: schemaOf(row), strict };
  const more = row.tool === 'many' ? 40 : 0;
  if (row.tool === 'strict_and_loose') return [first, { name: 'other', schema: { type: 'object' }, strict: false }];
  if (row.tool === 'strict_and_closed') return [first, { ...first, name: 'other', strict: false }];
  return [first, ...Array.from({ length: more }, (_, index) => ({ ...first, name: `look_${index}` }))];
}

function answerSchema({ format }: Wishes): JsonObject | undefined {
  switch (format) {
    case 'closed':
      return {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      };
    case 'loose':
      return {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 2, format: 'phone' },
          age: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        },
      };
    case 'recursive':
      return {
        type: 'object',
        properties: { tree: { $ref: '#/$defs/Node' } },
        required: ['tree'],
        additionalProperties: false,
        $defs: { Node: recursiveParts.Node },
      };
    case 'references':
      return referring();
    case 'empty':
      return {};
    default:
      return undefined;
  }
}

const asked: Turn = { role: 'user', texts: ['What is there?'] };
const more: Turn = { role: 'user', texts: ['And now?'] };
const said: SaidTurn = { role: 'assistant', texts: ['A river.'] };

const result = (id: string): Turn => ({ role: 'results', results: [{ id, text: 'Water.' }], texts: [] });

function historyOf(row: Wishes): Turn[] {
  const name = toolName(row);
  const call = (id: string): SaidTurn => ({ role: 'assistant', texts: [], calls: [{ id, name }] });
  switch (row.history) {
    case 'question':
      return [asked];
    case 'turns':
      return [asked, said, more];
    case 'call':
      return [asked, call('toolu_01'), result('toolu_01')];
    case 'parallel_calls':
      return [
        asked,
        { role: 'assistant', texts: ['I look.'], calls: ['toolu_01', 'toolu_02'].map((id) => ({ id, name })) },
        { role: 'results', results: ['toolu_02', 'toolu_01'].map((id) => ({ id, text: 'Water.' })), texts: [] },
        said,
        more,
      ];
    case 'foreign_ids': {
      const id = `functions.look:0|${'y'.repeat(90)}`;
      return [asked, call(id), result(id), said, more];
    }
    case 'repeated_ids':
      return [asked, call('call_0'), result('call_0'), said, more, call('call_0'), result('call_0')];
    case 'instruction_within':
      return [asked, said, { role: 'system', texts: ['Be brief.'] }, more];
    case 'instruction_after_call':
      return [asked, call('toolu_01'), { role: 'system', texts: ['Be brief.'] }, result('toolu_01')];
    case 'signed_thinking':
      return [asked, { ...said, thinking: 'Hm.', signature: CLAUDES_SIGNATURE }, more];
    case 'unsigned_thinking':
      return [asked, { ...said, thinking: 'Hm.', signature: '' }, more];
    case 'sealed_thinking':
      return [asked, { ...call('toolu_01'), thinking: 'Hm.', signature: 'gw1.openai.e30' }, result('toolu_01')];
    case 'call_and_words':
      return [asked, { role: 'assistant', texts: ['I look.'], calls: [{ id: 'toolu_01', name }] }, result('toolu_01')];
    case 'words_after_call':
      return [asked, call('toolu_01'), said, result('toolu_01')];
    case 'late_words':
      return [
        asked,
        call('toolu_01'),
        { role: 'results', results: [{ id: 'toolu_01', text: 'Water.' }], texts: ['Go on.'] },
      ];
    case 'failed_result':
      return [
        asked,
        call('toolu_01'),
        { role: 'results', results: [{ id: 'toolu_01', text: 'No.', failed: true }], texts: [] },
      ];
    case 'failed_image_result':
      return [
        asked,
        call('toolu_01'),
        { role: 'results', results: [{ id: 'toolu_01', text: 'No.', failed: true, image: true }], texts: [] },
      ];
    case 'image_result':
      return [
        asked,
        call('toolu_01'),
        { role: 'results', results: [{ id: 'toolu_01', text: 'Seen.', image: true }], texts: [] },
      ];
    case 'empty_result':
      return [asked, call('toolu_01'), { role: 'results', results: [{ id: 'toolu_01', text: '' }], texts: [] }];
    case 'orphan_result':
      return [asked, result('toolu_09'), said, more];
    case 'repeated_result':
      return [asked, call('toolu_01'), result('toolu_01'), result('toolu_01'), said, more];
    case 'open_call':
      return [asked, call('toolu_01'), more];
    case 'silent_answer':
      return [asked, { role: 'assistant', texts: [] }, more];
    case 'begun_answer':
      return [asked, { role: 'assistant', texts: ['The river'] }];
    case 'begun_answer_space':
      return [asked, { role: 'assistant', texts: ['The river '] }];
    case 'cut_off_thinking':
      return [asked, { role: 'assistant', texts: [], thinking: 'Hm.', signature: CLAUDES_SIGNATURE }];
    case 'model_first':
      return [said, asked];
    case 'call_first':
      return [call('toolu_01'), result('toolu_01'), said, more];
    case 'calls_alone':
      return [call('toolu_01'), result('toolu_01')];
    case 'users_in_a_row':
      return [asked, more];
  }
}

/** Returns the history of a row with its blank texts and half surrogate pairs, and with media in the first turn. */
function conversationOf(row: Wishes): Turn[] {
  return historyOf(row).flatMap((turn, index): Turn[] => {
    const isFirst = index === 0;
    if (turn.role === 'results') {
      return [
        {
          ...turn,
          results: turn.results.map((one) => ({
            ...one,
            text: row.blank === 'result' ? '  \n' : row.surrogate === 'result' ? `${one.text}${HALF}` : one.text,
          })),
        },
      ];
    }
    const texts = [...turn.texts];
    if (row.blank === 'beside' && turn.role !== 'system') texts.unshift(' \n');
    if (row.blank === 'before_call' && turn.calls) texts.splice(0, texts.length, '\n\n');
    if (row.blank === 'turn' && turn.role === 'assistant') texts.splice(0, texts.length, '\n\n');
    if (row.blank === 'empty_turn' && turn.role === 'assistant') texts.splice(0, texts.length, '');
    if (row.surrogate === 'text' && turn.role === 'user') texts[texts.length - 1] += HALF;
    return [{ ...turn, texts, ...(isFirst && turn.role === 'user' ? { media: true } : {}) }];
  });
}

const systemTexts = ({ blank, surrogate }: Wishes): string[] =>
  blank === 'system' ? [' '] : surrogate === 'system' ? [`Be kind.${HALF}`] : ['Be kind.'];

function stopOf({ stop }: Wishes): string[] | undefined {
  switch (stop) {
    case 'unsaid':
      return undefined;
    case 'one':
      return ['END'];
    case 'five':
      return Array.from({ length: 5 }, (_, index) => `END${index}`);
    case 'twenty':
      return Array.from({ length: 20 }, (_, index) => `END${index}`);
    case 'blank':
      return ['\n\n'];
  }
}

const limits: Record<Wishes['limit'], number | undefined> = {
  unsaid: undefined,
  one: 1,
  short: 300,
  usual: 6_000,
  huge: 10_000_000,
};

function samplingOf({ sampling }: Wishes): JsonObject {
  switch (sampling) {
    case 'unsaid':
      return {};
    case 'cool':
      return { temperature: 0.3 };
    case 'zero':
      return { temperature: 0 };
    case 'hot':
      return { temperature: 1.9 };
    case 'nucleus':
      return { top_p: 0.4 };
    case 'both':
      return { temperature: 0.7, top_p: 0.9 };
    case 'top_k':
      return { top_k: 40 };
    case 'penalties':
      return { frequency_penalty: 0.5, presence_penalty: -0.5 };
    case 'everything':
      return { temperature: 1.5, top_p: 0, top_k: 400, frequency_penalty: 2, presence_penalty: -2 };
  }
}

/** Returns tuning fields that have the same position in each API, unlike verbosity and probabilities. */
function rareTuningOf({ tuning }: Wishes): JsonObject {
  switch (tuning) {
    case 'seed':
      return { seed: 7 };
    case 'large_seed':
      return { seed: Number.MAX_SAFE_INTEGER };
    case 'negative_seed':
      return { seed: -3_000_000_000 };
    case 'min_p':
      return { min_p: 0.05 };
    case 'logit_bias':
      return { logit_bias: { 42: -100, 50_256: 1.5 } };
    case 'everything':
      return { seed: 1, min_p: 1, top_a: 0.2, logit_bias: { 7: 100 }, repetition_penalty: 0 };
    default:
      return {};
  }
}

function verbosityOf({ tuning }: Wishes): JsonObject {
  return tuning === 'verbose' ? { verbosity: 'high' } : tuning === 'everything' ? { verbosity: 'low' } : {};
}

/** Returns the number of alternative tokens that are requested for each token. */
function askedLogprobs({ tuning }: Wishes): number | undefined {
  switch (tuning) {
    case 'logprobs':
      return 0;
    case 'few_logprobs':
      return 2;
    case 'many_logprobs':
      return 20;
    default:
      return undefined;
  }
}

const mark = (row: Wishes, place: number): JsonObject => {
  const control = { type: 'ephemeral' };
  const hour = { type: 'ephemeral', ttl: '1h' };
  switch (row.marks) {
    case 'one':
      return place === 0 ? { cache_control: control } : {};
    case 'six':
      return { cache_control: control };
    case 'hour_last':
      return { cache_control: place === 0 ? control : hour };
    default:
      return {};
  }
};

export function bodyOf(row: Wishes, model = 'test/model'): JsonObject {
  switch (row.api) {
    case 'messages':
      return messagesBody(row, model);
    case 'chat':
      return chatBody(row, model);
    case 'responses':
      return responsesBody(row, model);
  }
}

function messagesBody(row: Wishes, model: string): JsonObject {
  let place = 0;
  const marked = (block: JsonObject) => ({ ...block, ...mark(row, place++) });
  const tools = declaredTools(row);
  const stops = stopOf(row);
  const choices: Partial<Record<Wishes['choice'], JsonObject>> = {
    auto: { type: 'auto' },
    required: { type: 'any' },
    named: { type: 'tool', name: toolName(row) },
    none: { type: 'none' },
    single: { type: 'auto', disable_parallel_tool_use: true },
    required_single: { type: 'any', disable_parallel_tool_use: true },
    named_single: { type: 'tool', name: toolName(row), disable_parallel_tool_use: true },
    none_single: { type: 'none', disable_parallel_tool_use: true },
  };
  const schema = answerSchema(row);
  const deferred = { name: 'later', description: 'Waits.', input_schema: { type: 'object' }, defer_loading: true };
  return {
    model,
    ...(limits[row.limit] === undefined ? {} : { max_tokens: limits[row.limit] }),
    ...(row.agent === 'clearing' ? { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } } : {}),
    ...(row.agent === 'betas' ? { betas: ['interleaved-thinking-2025-05-14', 'computer-use-2025-11-24'] } : {}),
    system: systemTexts(row).map((text) => marked({ type: 'text', text })),
    messages: conversationOf(row).map((turn) => ({
      role: turn.role === 'results' ? 'user' : turn.role,
      content: turn.role === 'results' ? resultBlocks(turn, marked) : authoredBlocks(row, turn, marked),
    })),
    ...(tools.length === 0
      ? {}
      : {
          tools: [
            ...tools.map(({ name, schema: input_schema, strict }) => ({
              name: name.slice(0, 128),
              description: 'Looks.',
              input_schema,
              ...(strict ? { strict } : {}),
              ...(row.agent === 'examples' ? { input_examples: [{ place: 'here' }] } : {}),
            })),
            ...(row.agent === 'deferred_tool' ? [marked(deferred)] : []),
          ],
        }),
    ...(choices[row.choice] ? { tool_choice: choices[row.choice] } : {}),
    ...samplingOf(row),
    ...rareTuningOf(row),
    ...verbosityOf(row),
    ...messagesThinking(row, schema),
    ...(stops ? { stop_sequences: stops } : {}),
    ...(row.marks === 'whole' ? { cache_control: { type: 'ephemeral' } } : {}),
    ...(row.user === 'yes' ? { metadata: { user_id: 'user_1' } } : {}),
  };
}

function authoredBlocks(row: Wishes, turn: SaidTurn, marked: (block: JsonObject) => JsonObject): JsonObject[] {
  const thought =
    turn.thinking === undefined ? [] : [{ type: 'thinking', thinking: turn.thinking, signature: turn.signature }];
  return [
    ...thought.map((block) =>
      row.marks === 'on_thinking' ? { ...block, cache_control: { type: 'ephemeral' } } : block,
    ),
    ...(turn.media ? mediaBlocks(row) : []),
    ...turn.texts.map((text) => (text === '' ? { type: 'text', text } : marked({ type: 'text', text }))),
    ...(turn.calls ?? []).map((call) => ({ type: 'tool_use', ...call, input: { place: 'here' } })),
  ].map((block, index) => (row.agent === 'leftovers' && turn.role === 'assistant' ? leftover(block, index) : block));
}

/** Returns a block of an answer as the SDK and LangChain keep it. */
function leftover(block: JsonObject, index: number): JsonObject {
  return {
    ...block,
    index,
    ...(block['type'] === 'tool_use' ? { caller: { type: 'direct' }, partial_json: '{}' } : {}),
    ...(block['type'] === 'text' ? { parsed_output: null } : {}),
  };
}

function mediaBlocks({ media }: Wishes): JsonObject[] {
  switch (media) {
    case 'no':
      return [];
    case 'image':
      return [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }];
    case 'image_webp':
      return [{ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: webp } }];
    case 'image_url':
      return [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }];
    case 'pdf':
      return [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }];
    case 'text_document':
      return [{ type: 'document', title: 'a.txt', source: { type: 'text', media_type: 'text/plain', data: 'Text.' } }];
  }
}

function resultBlocks({ results, texts }: ResultsTurn, marked: (block: JsonObject) => JsonObject): JsonObject[] {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
  return [
    ...results.map((one) =>
      marked({
        type: 'tool_result',
        tool_use_id: one.id,
        content: one.image ? [{ type: 'text', text: one.text }, image] : one.text,
        ...(one.failed ? { is_error: true } : {}),
      }),
    ),
    ...texts.map((text) => ({ type: 'text', text })),
  ];
}

function messagesThinking({ thinking }: Wishes, schema: JsonObject | undefined): JsonObject {
  const format = schema ? { format: { type: 'json_schema', schema } } : {};
  const config = (effort?: string) => {
    const output = { ...(effort ? { effort } : {}), ...format };
    return Object.keys(output).length > 0 ? { output_config: output } : {};
  };
  switch (thinking) {
    case 'unsaid':
      return config();
    case 'off':
      return { thinking: { type: 'disabled' }, ...config() };
    case 'budget':
      return { thinking: { type: 'enabled', budget_tokens: 2_000 }, ...config() };
    case 'large_budget':
      return { thinking: { type: 'enabled', budget_tokens: 40_000 }, ...config() };
    case 'adaptive':
      return { thinking: { type: 'adaptive' }, ...config() };
    case 'minimal':
      return { thinking: { type: 'between_tools' }, ...config('max') };
    default:
      return { thinking: { type: 'adaptive' }, ...config(thinking) };
  }
}

function chatBody(row: Wishes, model: string): JsonObject {
  let place = 0;
  const marked = (part: JsonObject) => ({ ...part, ...mark(row, place++) });
  const tools = declaredTools(row);
  const stops = stopOf(row);
  const schema = answerSchema(row);
  const choices: Partial<Record<Wishes['choice'], unknown>> = {
    auto: 'auto',
    single: 'auto',
    required: 'required',
    required_single: 'required',
    none: 'none',
    none_single: 'none',
    named: { type: 'function', function: { name: toolName(row) } },
    named_single: { type: 'function', function: { name: toolName(row) } },
  };
  return {
    model,
    messages: [
      ...systemTexts(row).map((text) => ({ role: 'system', content: [marked({ type: 'text', text })] })),
      ...conversationOf(row).flatMap((turn) => chatMessages(row, turn, marked)),
    ],
    ...(limits[row.limit] === undefined ? {} : { max_tokens: limits[row.limit] }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, schema: parameters, strict }) => ({
            type: 'function',
            function: { name, description: 'Looks.', parameters, ...(strict ? { strict } : {}) },
          })),
        }),
    ...(choices[row.choice] === undefined ? {} : { tool_choice: choices[row.choice] }),
    ...(row.choice.endsWith('single') ? { parallel_tool_calls: false } : {}),
    ...samplingOf(row),
    ...rareTuningOf(row),
    ...verbosityOf(row),
    ...chatLogprobs(row),
    ...chatThinking(row),
    ...(schema ? { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } } : {}),
    ...(row.format === 'json' ? { response_format: { type: 'json_object' } } : {}),
    ...(stops ? { stop: stops } : {}),
    ...(row.marks === 'whole' ? { cache_control: { type: 'ephemeral' } } : {}),
    ...(row.user === 'yes' ? { user: 'user_1' } : {}),
  };
}

function chatLogprobs(row: Wishes): JsonObject {
  const others = askedLogprobs(row);
  return others === undefined ? {} : { logprobs: true, ...(others > 0 ? { top_logprobs: others } : {}) };
}

function chatMessages(row: Wishes, turn: Turn, marked: (part: JsonObject) => JsonObject): JsonObject[] {
  if (turn.role === 'results') {
    return [
      ...turn.results.map((one) => ({
        role: 'tool',
        tool_call_id: one.id,
        content: one.image
          ? [
              { type: 'text', text: one.text },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
            ]
          : one.text,
      })),
      ...(turn.texts.length > 0 ? [{ role: 'user', content: turn.texts.join('') }] : []),
    ];
  }
  const parts = turn.texts.map((text) => (text === '' ? { type: 'text', text } : marked({ type: 'text', text })));
  if (turn.role !== 'assistant') {
    return [{ role: turn.role, content: [...(turn.media ? chatMedia(row) : []), ...parts] }];
  }
  const calls = turn.calls?.map(({ id, name }) => ({
    id,
    type: 'function',
    function: { name, arguments: '{"place":"here"}' },
  }));
  const details =
    turn.thinking === undefined
      ? undefined
      : [{ type: 'reasoning.text', text: turn.thinking, signature: turn.signature }];
  return [
    {
      role: 'assistant',
      content: turn.texts.length > 0 ? turn.texts.join('') : null,
      ...(calls ? { tool_calls: calls } : {}),
      ...(details ? { reasoning_details: details } : {}),
    },
  ];
}

function chatMedia({ media }: Wishes): JsonObject[] {
  switch (media) {
    case 'no':
      return [];
    case 'image':
      return [{ type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }];
    case 'image_webp':
      return [{ type: 'image_url', image_url: { url: `data:image/webp;base64,${webp}` } }];
    case 'image_url':
      return [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }];
    case 'pdf':
      return [{ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } }];
    case 'text_document':
      return [{ type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,VGV4dC4=' } }];
  }
}

function chatThinking({ thinking }: Wishes): JsonObject {
  switch (thinking) {
    case 'unsaid':
      return {};
    case 'off':
      return { reasoning_effort: 'none' };
    case 'budget':
      return { reasoning: { max_tokens: 2_000 } };
    case 'large_budget':
      return { thinking: { type: 'enabled', budget_tokens: 40_000 } };
    case 'adaptive':
      return { reasoning: { enabled: true } };
    default:
      return { reasoning_effort: thinking };
  }
}

function responsesBody(row: Wishes, model: string): JsonObject {
  const tools = declaredTools(row);
  const schema = answerSchema(row);
  const { frequency_penalty: _frequency, presence_penalty: _presence, ...sampling } = samplingOf(row);
  const choices: Partial<Record<Wishes['choice'], unknown>> = {
    auto: 'auto',
    single: 'auto',
    required: 'required',
    required_single: 'required',
    none: 'none',
    none_single: 'none',
    named: { type: 'function', name: toolName(row) },
    named_single: { type: 'function', name: toolName(row) },
  };
  return {
    model,
    instructions: systemTexts(row).join('\n'),
    input: conversationOf(row).flatMap((turn) => responsesItems(row, turn)),
    ...(limits[row.limit] === undefined ? {} : { max_output_tokens: limits[row.limit] }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, schema: parameters, strict }) => ({
            type: 'function',
            name,
            description: 'Looks.',
            parameters,
            strict,
          })),
        }),
    ...(choices[row.choice] === undefined ? {} : { tool_choice: choices[row.choice] }),
    ...(row.choice.endsWith('single') ? { parallel_tool_calls: false } : {}),
    ...sampling,
    ...rareTuningOf(row),
    ...responsesLogprobs(row),
    ...responsesThinking(row),
    text: {
      ...(schema ? { format: { type: 'json_schema', name: 'a', schema } } : {}),
      ...(row.format === 'json' ? { format: { type: 'json_object' } } : {}),
      ...verbosityOf(row),
    },
    ...(row.user === 'yes' ? { user: 'user_1' } : {}),
    store: false,
  };
}

function responsesLogprobs(row: Wishes): JsonObject {
  const others = askedLogprobs(row);
  if (others === undefined) return {};
  return { include: ['message.output_text.logprobs'], ...(others > 0 ? { top_logprobs: others } : {}) };
}

function responsesItems(row: Wishes, turn: Turn): JsonObject[] {
  if (turn.role === 'results') {
    return [
      ...turn.results.map((one) => ({
        type: 'function_call_output',
        call_id: one.id,
        output: one.image
          ? [
              { type: 'input_text', text: one.text },
              { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
            ]
          : one.text,
      })),
      ...(turn.texts.length > 0
        ? [{ type: 'message', role: 'user', content: turn.texts.map((text) => ({ type: 'input_text', text })) }]
        : []),
    ];
  }
  const kind = turn.role === 'assistant' ? 'output_text' : 'input_text';
  const content = [...(turn.media ? responsesMedia(row) : []), ...turn.texts.map((text) => ({ type: kind, text }))];
  return [
    ...(turn.thinking === undefined ? [] : [{ type: 'reasoning', summary: [], encrypted_content: turn.signature }]),
    ...(content.length > 0 ? [{ type: 'message', role: turn.role, content }] : []),
    ...(turn.calls ?? []).map(({ id, name }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: '{"place":"here"}',
    })),
  ];
}

function responsesMedia({ media }: Wishes): JsonObject[] {
  switch (media) {
    case 'no':
      return [];
    case 'image':
      return [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }];
    case 'image_webp':
      return [{ type: 'input_image', image_url: `data:image/webp;base64,${webp}` }];
    case 'image_url':
      return [{ type: 'input_image', image_url: 'https://example.com/a.png' }];
    case 'pdf':
      return [{ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }];
    case 'text_document':
      return [{ type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,VGV4dC4=' }];
  }
}

function responsesThinking({ thinking }: Wishes): JsonObject {
  switch (thinking) {
    case 'unsaid':
      return {};
    case 'off':
      return { reasoning: { effort: 'none' } };
    case 'budget':
      return { reasoning: { max_tokens: 2_000 } };
    case 'large_budget':
      return { reasoning: { max_tokens: 40_000, summary: 'auto' } };
    case 'adaptive':
      return { reasoning: { summary: 'auto' } };
    default:
      return { reasoning: { effort: thinking, summary: 'auto' } };
  }
}
