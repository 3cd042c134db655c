import { describe, expect, it } from 'vitest';
import { responsesRequestSchema, type ResponsesCall } from '../../lambdas/client-apis/responses/request.ts';
import { ResponseWriter } from '../../lambdas/client-apis/responses/stream-events.ts';
import { wholeResponse } from '../../lambdas/client-apis/responses/whole-response.ts';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { wholeMessage } from '../support/answer-arbitrary.ts';
import { dataIn } from '../support/sse-client.ts';

const readFile = { type: 'function', name: 'read_file', description: 'Reads a file.', parameters: { type: 'object' } };
const patch = {
  type: 'custom',
  name: 'patch',
  description: 'Patches.',
  format: { type: 'grammar', definition: 'start: "x"' },
};
const files = { type: 'namespace', name: 'mcp__files', description: 'The archive.', tools: [readFile, patch] };
const shell = { type: 'function', name: 'shell' };

const read = (body: object): ResponsesCall =>
  responsesRequestSchema.parse({ model: 'sandbox/claude', input: 'Hello', ...body });
const namesIn = (call: ResponsesCall) => call.message.tools!.map(({ name }) => name);

const usage = { input_tokens: 1, output_tokens: 1 };
function calling(name: string, input: string): MessagesEvent[] {
  return [
    {
      type: 'message_start',
      message: {
        id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

/** Returns the items of an answer without streaming, and the items of its stream. */
function callsOf(call: ResponsesCall, events: MessagesEvent[]): object[] {
  const writer = new ResponseWriter({ generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'm' }, call);
  const streamed = dataIn([Buffer.from(events.map((event) => writer.write(event)).join(''))]).map(
    (data) => JSON.parse(data) as { type: string; item?: object },
  );
  const { output } = wholeResponse(wholeMessage(events), call) as { output: object[] };
  const items = streamed.flatMap(({ type, item }) => (type.startsWith('response.output_item.') && item ? [item] : []));
  return [...output, ...items];
}

describe('tools in a namespace', () => {
  it('are declared under the names of their group and of the tool, with the description of the group once', () => {
    const { tools } = read({ tools: [shell, files] }).message;

    expect(tools).toMatchObject([
      { name: 'shell' },
      { name: 'mcp__files__read_file', description: 'The archive.\n\nReads a file.' },
      { name: 'mcp__files__patch', input_schema: { required: ['input'] } },
    ]);
    expect(tools![2]!.description).toContain('grammar');
  });

  it('say in their calls that arguments are plain which only OpenAI could encrypt', () => {
    const properties = { message: { type: 'string', encrypted: true }, name: { type: 'string' } };
    const spawn = { type: 'function', name: 'spawn_agent', parameters: { type: 'object', properties } };
    const call = read({ tools: [{ type: 'namespace', name: 'agents', tools: [spawn, readFile] }] });
    const plain = { name: 'spawn_agent', namespace: 'agents', encrypted_function_args: [] };

    expect(callsOf(call, calling('agents__spawn_agent', '{}'))).toMatchObject([plain, plain, plain]);
    expect(callsOf(call, calling('agents__read_file', '{}'))[0]).not.toHaveProperty('encrypted_function_args');
  });

  it('have a grammar only if the format of their input is a grammar', () => {
    const { message } = read({ tools: [{ ...patch, format: { ...patch.format, type: 'text' } }] });

    expect(message.tools![0]!.description).toBe('Patches.');
  });

  it('are called by their namespace and their short name, in a stream and whole', () => {
    const calls = callsOf(read({ tools: [files] }), calling('mcp__files__read_file', '{"path":"a"}'));

    expect(calls).toHaveLength(3);
    for (const call of calls)
      expect(call).toMatchObject({ type: 'function_call', namespace: 'mcp__files', name: 'read_file', call_id: 'c1' });
  });

  it('are called with a text if they are custom tools', () => {
    const calls = callsOf(read({ tools: [files] }), calling('mcp__files__patch', '{"input":"x"}'));

    for (const call of calls)
      expect(call).toMatchObject({ type: 'custom_tool_call', namespace: 'mcp__files', name: 'patch' });
    expect(calls[0]).toMatchObject({ input: 'x' });
  });

  it('have the same names in a history and in a choice', () => {
    const { messages, tool_choice: choice } = read({
      tools: [files],
      tool_choice: { type: 'function', namespace: 'mcp__files', name: 'read_file' },
      input: [
        { role: 'user', content: 'Read.' },
        { type: 'function_call', namespace: 'mcp__files', name: 'read_file', call_id: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'Text' },
      ],
    }).message;

    expect(messages[1]!.content).toMatchObject([{ type: 'tool_use', name: 'mcp__files__read_file' }]);
    expect(choice).toEqual({ type: 'tool', name: 'mcp__files__read_file' });
  });

  it.each([
    [[{ type: 'namespace', name: 'mcp__files' }], ['mcp__files__read_file', 'mcp__files__patch']],
    [[{ type: 'function', namespace: 'mcp__files', name: 'read_file' }], ['mcp__files__read_file']],
    [[{ type: 'function', name: 'shell' }], ['shell']],
  ])('are allowed as a group or one by one: %j', (tools, names) => {
    const call = read({ tools: [shell, files], tool_choice: { type: 'allowed_tools', mode: 'auto', tools } });

    expect(namesIn(call)).toEqual(names);
  });

  it('with the same joined name stay distinct, and are returned as they were declared', () => {
    const call = read({ tools: [{ ...shell, name: 'mcp__files__read_file' }, files] });
    const [plain, grouped] = namesIn(call);

    expect(plain).toBe('mcp__files__read_file');
    expect(grouped).toMatch(/^mcp__files__read_file_[0-9a-f]{8}$/);
    expect(callsOf(call, calling(plain!, '{}'))[0]).not.toHaveProperty('namespace');
    expect(callsOf(call, calling(grouped!, '{}'))[0]).toMatchObject({ namespace: 'mcp__files', name: 'read_file' });
  });

  it.each(['x'.repeat(120), 'читать', 'files.read'])(
    "keep their characters for the protection of the client's text, and are returned unchanged: %s",
    (name) => {
      const call = read({ tools: [{ ...files, tools: [{ ...readFile, name }] }] });
      const [sent] = namesIn(call);

      expect(sent).toBe(`mcp__files__${name}`);
      expect(callsOf(call, calling(sent!, '{}'))[0]).toMatchObject({ namespace: 'mcp__files', name });
    },
  );

  it('may be declared in the conversation', () => {
    const { tools, messages } = read({
      tools: [shell],
      input: [
        { type: 'additional_tools', role: 'developer', tools: [shell, files] },
        { role: 'user', content: 'Read.' },
        { type: 'tool_search_call', call_id: 's', execution: 'client', arguments: {} },
        { type: 'tool_search_output', call_id: 's', execution: 'client', tools: [{ ...files, name: 'mcp__more' }] },
      ],
    }).message;

    expect(tools!.map(({ name }) => name)).toEqual([
      'shell',
      'mcp__files__read_file',
      'mcp__files__patch',
      'mcp__more__read_file',
      'mcp__more__patch',
    ]);
    expect(messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Read.' }] });
  });
});

const searched = (more: object, found: object[]) => [
  { role: 'user', content: 'Read.' },
  { type: 'tool_search_call', call_id: 's', execution: 'client', arguments: { query: 'read' }, ...more },
  { type: 'tool_search_output', call_id: 's', execution: 'client', tools: found, ...more },
];

describe('a tool search that the client runs', () => {
  const parameters = { type: 'object', properties: { query: { type: 'string' } } };
  const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters };

  it('is a function, and is returned as a search, in a stream and whole', () => {
    const call = read({ tools: [shell, search] });
    const [whole, begun, done] = callsOf(call, calling('tool_search', '{"query":"read"}'));

    expect(call.message.tools![1]).toEqual({
      name: 'tool_search',
      description: 'Finds tools.',
      input_schema: parameters,
    });
    const item = { type: 'tool_search_call', call_id: 'c1', execution: 'client', status: 'completed' };
    for (const one of [whole, done]) expect(one).toMatchObject({ ...item, arguments: { query: 'read' } });
    expect(begun).toMatchObject({ ...item, status: 'in_progress' });
    expect(whole).not.toHaveProperty('name');
  });

  it('has a result with the names of the tools that it declared', () => {
    const { tools, messages } = read({ tools: [search], input: searched({}, [files, shell]) }).message;

    expect(tools!.map(({ name }) => name)).toEqual([
      'tool_search',
      'mcp__files__read_file',
      'mcp__files__patch',
      'shell',
    ]);
    expect(messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 's', name: 'tool_search', input: { query: 'read' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 's',
            content: 'These tools can be called from now on: "mcp__files__read_file", "mcp__files__patch", "shell".',
          },
        ],
      },
    ]);
  });

  it('may have no result, and may have arguments as a text', () => {
    const { messages } = read({ tools: [search], input: searched({ arguments: '{"query":"write"}' }, []) }).message;

    expect(messages[1]!.content).toMatchObject([{ input: { query: 'write' } }]);
    expect(messages[2]!.content).toMatchObject([{ content: 'No tool was found.' }]);
  });

  it.each([{ execution: 'server' }, { call_id: null }])('is left out if a service ran it: %j', (more) => {
    const { tools, messages } = read({ input: searched(more, [files]) }).message;

    expect(messages).toHaveLength(1);
    expect(tools).toHaveLength(2);
  });

  it('may be the only allowed tool, and may be next to a function of the same name', () => {
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'tool_search' }] };

    expect(namesIn(read({ tools: [shell, search], tool_choice: allowed }))).toEqual(['tool_search']);
    expect(namesIn(read({ tools: [{ ...shell, name: 'tool_search' }, search] }))).toEqual(['tool_search']);
  });
});
