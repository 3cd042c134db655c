import fc, { type Arbitrary } from 'fast-check';

/** Arbitrary request with content of known and unknown types. */
export interface GeneratedPrompt {
  body: Record<string, unknown>;
  /** Number of images, which tokenizers count in different ways. */
  images: number;
  /** Number of PDFs, files by reference, recordings, and blocks of unknown types. */
  opaque: number;
}

/** Some tokenizer splits these texts into unusually many tokens per byte. */
const awkward = [
  'a',
  ' ',
  '0123456789',
  'Съешь же ещё этих мягких французских булок',
  '\uFDFA',
  '\u{1D160}',
  'e\u0301\u0323',
  '漢字かな交じり文',
  '👩‍👩‍👧‍👦',
  '{"a": [1, 2, "ж"]}',
  '\\n\\t"quoted"',
];
const text = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...awkward), fc.string({ maxLength: 12 })), { minLength: 1, maxLength: 8 }),
    // Repeated texts may exceed the allowance for a provider's additional text.
    fc.constantFrom(1, 1, 1, 100),
  )
  .map(([parts, times]) => parts.join('').repeat(times));

interface Part {
  block: Record<string, unknown>;
  images: number;
  opaque: number;
}

const plain = (block: Record<string, unknown>): Part => ({ block, images: 0, opaque: 0 });
const base64 = fc.nat(400).map((bytes) => Buffer.alloc(bytes + 1, 7).toString('base64'));

const cached = fc.option(
  fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '5m' }, { type: 'ephemeral', ttl: '1h' }),
  { nil: undefined, freq: 4 },
);
const withCache = (part: Arbitrary<Part>): Arbitrary<Part> =>
  fc.tuple(part, cached).map(([inner, cache_control]) => ({
    ...inner,
    block: cache_control ? { ...inner.block, cache_control } : inner.block,
  }));

const textBlock = withCache(text.map((words) => plain({ type: 'text', text: words })));
const image = withCache(
  fc
    .oneof(
      base64.map((data) => ({ type: 'base64', media_type: 'image/png', data })),
      fc.constant({ type: 'url', url: 'https://example.com/a.png' }),
    )
    .map((source) => ({ block: { type: 'image', source }, images: 1, opaque: 0 })),
);
/** No API defines an image in a text block, so it counts as text. */
const strayImage = fc.tuple(text, base64).map(([words, data]) =>
  plain({
    type: 'text',
    text: words,
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
  }),
);
const document = withCache(
  fc.oneof(
    text.map((data) => plain({ type: 'document', source: { type: 'text', media_type: 'text/plain', data } })),
    text.map((content) => plain({ type: 'document', title: content, source: { type: 'content', content } })),
    fc.array(fc.oneof(textBlock, image), { minLength: 1, maxLength: 3 }).map((parts) => ({
      block: { type: 'document', source: { type: 'content', content: parts.map(({ block }) => block) } },
      ...sum(parts),
    })),
    base64.map((data) => ({
      block: { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
      images: 0,
      opaque: 1,
    })),
    fc.constant({
      block: { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      images: 0,
      opaque: 1,
    }),
  ),
);
const unknown = fc.constantFrom<Part>(
  { block: { type: 'video', source: { type: 'url', url: 'https://example.com/a.mp4' } }, images: 0, opaque: 1 },
  { block: { type: 'tool_reference', tool_name: 'x' }, images: 0, opaque: 1 },
);
const recording = base64.map((data) => ({
  block: { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data } },
  images: 0,
  opaque: 1,
}));
const search = text.map((words) =>
  plain({ type: 'search_result', source: 'https://e.com', title: words, content: [{ type: 'text', text: words }] }),
);
const input = fc.dictionary(fc.constantFrom('path', 'ключ', 'n'), fc.oneof(text, fc.nat(), fc.boolean()), {
  maxKeys: 3,
});

function sum(parts: Part[]): { images: number; opaque: number } {
  return {
    images: parts.reduce((total, { images }) => total + images, 0),
    opaque: parts.reduce((total, { opaque }) => total + opaque, 0),
  };
}

/** User message, sometimes after a tool call and its result. */
const turn = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: textBlock },
        { weight: 2, arbitrary: image },
        { weight: 1, arbitrary: strayImage },
        { weight: 2, arbitrary: document },
        { weight: 1, arbitrary: search },
        { weight: 1, arbitrary: fc.oneof(unknown, recording) },
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.option(fc.tuple(input, fc.array(fc.oneof(textBlock, image), { maxLength: 2 }), text), { nil: undefined }),
  )
  .map(([said, call]) => {
    const blocks = said.map(({ block }) => block);
    const before = call
      ? [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: call[2], signature: 'c2lnbmF0dXJl' },
              { type: 'tool_use', id: 'toolu_1', name: 'read', input: call[0] },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'toolu_1', content: call[1].map(({ block }) => block) },
              ...blocks,
            ],
          },
        ]
      : [{ role: 'user', content: blocks }];
    return { messages: before, ...sum([...said, ...(call?.[1] ?? [])]) };
  });

const tool = fc.tuple(fc.constantFrom('read', 'write', 'list'), text, input).map(([name, description, example]) => ({
  name,
  description,
  input_schema: { type: 'object', properties: { path: { type: 'string', description, examples: [example] } } },
}));
const typedTool = fc.constantFrom(
  { type: 'bash_20250124', name: 'bash' },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  { type: 'computer_20250124', name: 'computer', display_width_px: 1024, display_height_px: 768 },
  { type: 'computer_toolset_20260801', name: 'computer' },
  { type: 'memory_20250818', name: 'memory' },
);

export const generatedPrompt: Arbitrary<GeneratedPrompt> = fc
  .record({
    turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
    system: fc.option(
      fc.oneof(
        text,
        textBlock.map(({ block }) => [block]),
      ),
      { nil: undefined },
    ),
    tools: fc.oneof(
      fc.constant([]),
      fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: tool }, { weight: 1, arbitrary: typedTool }), {
        maxLength: 3,
        selector: ({ name }) => name,
      }),
    ),
    max_tokens: fc.option(fc.integer({ min: 1, max: 40_000 }), { nil: undefined }),
    thinking: fc.option(
      fc.constantFrom({ type: 'adaptive' }, { type: 'disabled' }, { type: 'enabled', budget_tokens: 1_024 }),
      { nil: undefined },
    ),
  })
  .map(({ turns, system, tools, max_tokens, thinking }) => ({
    body: {
      model: 'test/model',
      messages: turns.flatMap(({ messages }) => messages),
      ...(system === undefined ? {} : { system }),
      ...(tools.length > 0 ? { tools } : {}),
      ...(max_tokens === undefined ? {} : { max_tokens }),
      ...(thinking === undefined ? {} : { thinking }),
    },
    images: turns.reduce((total, { images }) => total + images, 0),
    opaque: turns.reduce((total, { opaque }) => total + opaque, 0),
  }));
