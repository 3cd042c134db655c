import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Block, MessageBody, MessagesEvent } from '../../lambdas/messages/types.ts';
import { finalGeneration, post, said, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import {
  PRICES,
  SEARCH_PRICE,
  startSearchingGateway,
  tower,
  type SearchingGateway,
} from '../support/searching-gateway.ts';
import { readEvents, summarize } from '../support/sse.ts';

let search: SearchingGateway;
let gateway: RunningGateway;
beforeAll(async () => {
  search = await startSearchingGateway();
  ({ gateway } = search);
});
afterAll(() => search.stop());

const tool = { type: 'web_search_20250305', name: 'web_search' };
const calling = (...queries: unknown[]) => ({ calls: queries.map((query) => ({ input: { query } })) });
const answer = { text: 'It is 540 metres high [1]. That is all.' };

async function ask(body: object = {}, on = gateway) {
  const response = await post(on, '/messages', {
    model: 'test/model',
    max_tokens: 1_000,
    tools: [tool],
    messages: [said('How high is the tower?')],
    ...body,
  });
  return { status: response.status, id: response.headers.get('x-generation-id')!, response };
}

async function whole(body: object = {}, on = gateway): Promise<MessageBody & { id: string }> {
  const { response } = await ask(body, on);
  return (await response.json()) as MessageBody;
}

const types = (content: Block[]) => content.map(({ type }) => type);
const cost = (rounds: [number, number][], searches: number) =>
  rounds.reduce(
    (sum, [prompt, completion]) => sum + prompt * Number(PRICES.prompt) + completion * Number(PRICES.completion),
    0,
  ) +
  searches * SEARCH_PRICE;

async function conversation() {
  search.plays(calling('tower'), answer);
  const { content } = await whole();
  search.plays({ text: 'Yes.' });
  return content;
}
const resumed = (content: Block[]) =>
  ask({ messages: [said('How high?'), { role: 'assistant', content }, said('Sure?')] });
const refusal = async (response: Response) =>
  ((await response.json()) as { error: { metadata: { field: string } } }).error.metadata.field;

const limited = async (limit: number): Promise<RunningGateway> => {
  const created = await manage(gateway, 'POST', '/keys', { name: 'limited', limit });
  return { ...gateway, key: (created.body as { key: string }).key };
};

const failed = (code: string) => ({ type: 'web_search_tool_result_error', error_code: code });

describe('a model that searches', () => {
  it('searches within one streamed message, and its text cites the results', async () => {
    search.plays({ text: 'Let me look. ', ...calling('tower height') }, answer);

    const { response } = await ask({ stream: true });
    const events = await readEvents(response);

    const starts = events.flatMap((event) => (event.type === 'content_block_start' ? [event] : []));
    expect(starts.map(({ index }) => index)).toEqual(starts.map((_, index) => index));
    expect(types(starts.map(({ content_block: block }) => block))).toEqual([
      'text',
      'server_tool_use',
      'web_search_tool_result',
      'text',
      'text',
    ]);
    const [, call, result] = starts.map(({ content_block: block }) => block);
    const caller = { type: 'direct' };
    expect(call).toMatchObject({
      name: 'web_search',
      id: expect.stringMatching(/^srvtoolu_/) as string,
      input: {},
      caller,
    });
    expect(result).toMatchObject({
      caller,
      tool_use_id: call!['id'],
      content: tower.map(({ title, url }) => ({ type: 'web_search_result', title, url })),
    });
    expect(events.filter(({ type }) => type === 'message_start' || type === 'message_delta')).toHaveLength(2);
    const cited = events.flatMap((event: MessagesEvent) =>
      event.type === 'content_block_delta' && event.delta.type === 'citations_delta' ? [event.delta.citation] : [],
    );
    expect(cited).toEqual([
      {
        type: 'web_search_result_location',
        url: tower[0]!.url,
        title: 'Tower',
        cited_text: 'The tower in Ostankino is 540 metres high.',
        encrypted_index: expect.any(String) as string,
      },
    ]);
    expect(summarize(events)).toMatchObject({
      text: 'Let me look. It is 540 metres high. That is all.',
      stopReason: 'end_turn',
      usage: {
        input_tokens: 200,
        output_tokens: 40,
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
      },
    });
    expect(search.queries).toEqual(['tower height']);
  });

  it('returns a structured answer unchanged: its lists of numbers are not markers', async () => {
    const text = '{"floors": [1, 2], "height": "540 metres [1]"}';
    search.plays(calling('tower'), { text });
    const format = { type: 'json_schema', schema: { type: 'object' } };

    const { content } = await whole({ output_config: { format } });

    expect(content.slice(2)).toEqual([{ type: 'text', text }]);
  });

  it('has its rounds and searches in one charge', async () => {
    search.plays(
      { ...calling('one', 'two'), usage: { prompt: 100, completion: 20 } },
      { ...calling('three'), usage: { prompt: 300, completion: 30 } },
      { ...answer, usage: { prompt: 500, completion: 40 } },
    );

    const { usage, id } = await whole();

    expect(usage).toMatchObject({ input_tokens: 900, output_tokens: 90, server_tool_use: { web_search_requests: 3 } });
    const expected = cost([[900, 90]], 3);
    expect(usage['cost']).toBeCloseTo(expected, 10);
    const generation = await finalGeneration(gateway, id);
    expect(generation).toMatchObject({
      total_cost: usage['cost'],
      num_search_results: 6,
      tokens_prompt: 900,
      tokens_completion: 90,
    });
  });

  it('reads the sources by their numbers', async () => {
    search.plays(calling('tower'), answer);

    await whole();

    const [, second] = search.asked;
    expect(second!.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: `[1] Tower\n${tower[0]!.url}\n${tower[0]!.content}\n\n[2] ${tower[1]!.title}\n${tower[1]!.url}\n${tower[1]!.content}`,
    });
    expect(search.asked[0]!.tools).toMatchObject([{ function: { name: 'web_search' } }]);
  });

  it('with a forced search searches only once', async () => {
    search.plays(calling('tower'), answer);

    await whole({ tool_choice: { type: 'tool', name: 'web_search' } });

    expect(search.asked.map(({ tool_choice: choice }) => choice)).toEqual([
      { type: 'function', function: { name: 'web_search' } },
      'auto',
    ]);
  });

  it('does not search if its client has disabled calls, whatever it writes', async () => {
    search.plays(calling('tower'), answer);

    const { usage } = await whole({ tool_choice: { type: 'none' } });

    expect({ usage, queries: search.queries }).toMatchObject({ usage: { cost: cost([[100, 20]], 0) }, queries: [] });
  });

  it('reads the same conversation when its client sends it back', async () => {
    search.plays({ text: 'Let me look. ', ...calling('tower') }, answer);
    const { content } = await whole();
    const before = search.asked[1]!.messages;
    search.plays({ text: 'You are welcome.' });

    const next = await whole({
      messages: [said('How high is the tower?'), { role: 'assistant', content }, said('Thanks')],
    });

    expect(next.content).toMatchObject([{ type: 'text', text: 'You are welcome.' }]);
    const [{ messages }] = search.asked as [(typeof search.asked)[number]];
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages.slice(before.length)).toEqual([
      { role: 'assistant', content: answer.text },
      { role: 'user', content: 'Thanks' },
    ]);
  });

  it('reads its query also if the client has lost it', async () => {
    search.plays(calling('tower'), answer);
    const { content } = await whole();
    const before = search.asked[1]!.messages;
    search.plays({ text: 'Yes.' });
    const lost = content.map((block) => (block.type === 'server_tool_use' ? { ...block, input: {} } : block));

    await whole({ messages: [said('How high is the tower?'), { role: 'assistant', content: lost }, said('Sure?')] });

    expect(search.asked[0]!.messages.slice(0, before.length)).toEqual(before);
  });

  it('reads earlier results if it may not search any more', async () => {
    search.plays(calling('tower'), answer);
    const { content } = await whole();
    search.plays({ text: 'You are welcome.' });

    await whole({ tools: undefined, messages: [said('How high?'), { role: 'assistant', content }, said('Thanks')] });

    const [{ messages, tools }] = search.asked as [(typeof search.asked)[number]];
    expect(tools).toBeUndefined();
    expect(JSON.stringify(messages)).toContain('Results of a web search:');
    expect(JSON.stringify(messages)).toContain('540 metres');
  });

  it('gets a failed search as a result, which costs nothing', async () => {
    search.finds((query) => (query === 'busy' ? 429 : query === 'broken' ? 500 : query === 'nothing' ? [] : tower));
    search.plays(calling('busy', 'broken', 'nothing', '', 'tower'), answer);

    const { content, usage } = await whole();

    const results = content.filter(({ type }) => type === 'web_search_tool_result').map(({ content: found }) => found);
    expect(results).toEqual([
      failed('too_many_requests'),
      failed('unavailable'),
      [],
      failed('invalid_tool_input'),
      expect.arrayContaining([]) as unknown,
    ]);
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
    search.finds(() => tower);
  });

  it('makes no more searches than its client allows', async () => {
    search.plays(calling('one', 'two'), calling('three'), answer);

    const { content, usage } = await whole({ tools: [{ ...tool, max_uses: 1 }] });

    const codes = content.flatMap(({ type, content: found }) =>
      type === 'web_search_tool_result' ? [(found as { error_code?: string }).error_code ?? 'found'] : [],
    );
    expect(codes).toEqual(['found', 'max_uses_exceeded', 'max_uses_exceeded']);
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    expect(search.queries).toEqual(['one']);
  });

  it('leaves a search open if the client has a call to run, and makes it first in the next request', async () => {
    const clock = { name: 'clock', input_schema: { type: 'object' } };
    const mixed = { calls: [{ input: { query: 'tower' } }, { name: 'clock', input: {} }] };
    search.plays(mixed);
    const first = await whole({ tools: [tool, clock] });
    expect(first).toMatchObject({ stop_reason: 'tool_use' });
    expect(types(first.content)).toEqual(['server_tool_use', 'tool_use']);
    expect(search.queries).toEqual([]);
    search.plays(answer);
    const result = { type: 'tool_result', tool_use_id: first.content[1]!['id'], content: 'noon' };
    const turns = [said('How high, and when?'), { role: 'assistant', content: first.content }];

    const second = await whole({ tools: [tool, clock], messages: [...turns, { role: 'user', content: [result] }] });

    expect(types(second.content)).toEqual(['web_search_tool_result', 'text', 'text']);
    expect(second.content[0]).toMatchObject({ tool_use_id: first.content[0]!['id'] });
    expect(second.usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    expect(search.asked[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    search.plays({ text: 'Bye.' });
    const third = await ask({
      tools: [tool, clock],
      messages: [
        ...turns,
        { role: 'user', content: [result] },
        { role: 'assistant', content: second.content },
        said('Thanks'),
      ],
    });
    expect(third.status).toBe(200);
  });

  it('has no open call without a result if its provider counts the prompt', async () => {
    search.plays({ status: 500 });
    const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tower' } };

    await post(gateway, '/messages/count_tokens', {
      model: 'test/counted',
      tools: [tool],
      messages: [said('How high?'), { role: 'assistant', content: [call] }],
    });

    expect(search.asked[0]!.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ]);
  });

  it('pauses its turn if it would search endlessly, and continues on request', async () => {
    search.plays(calling('again'));
    const paused = await whole();
    expect(paused).toMatchObject({
      stop_reason: 'pause_turn',
      usage: { server_tool_use: { web_search_requests: 10 } },
    });
    search.plays(answer);

    const rest = await whole({ messages: [said('How high?'), { role: 'assistant', content: paused.content }] });

    expect(rest).toMatchObject({ stop_reason: 'end_turn' });
    expect(search.asked[0]!.messages.filter(({ role }) => role === 'tool')).toHaveLength(10);
  });

  it('writes at most max_tokens in all of its rounds', async () => {
    search.plays({ ...calling('tower'), usage: { prompt: 100, completion: 30 } }, answer);

    await whole({ max_tokens: 50 });

    expect(search.asked.map(({ max_tokens: tokens }) => tokens)).toEqual([50, 20]);
  });

  it('fails like any answer if its provider fails in a later round, after one more attempt', async () => {
    search.plays(calling('tower'), { status: 500 });

    const { response, id } = await ask({ stream: true });
    const events = await readEvents(response);

    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(search.asked).toHaveLength(3);
    expect(await finalGeneration(gateway, id)).toMatchObject({ total_cost: cost([[100, 20]], 1), cancelled: true });
  });
});

describe('a search result in a conversation', () => {
  it('cannot be altered by the client', async () => {
    const content = await conversation();
    const results = content[1]!['content'] as Block[];
    const sealed = results[0]!['encrypted_content'] as string;
    results[0]!['encrypted_content'] = `${sealed.slice(0, -5)}AAAAA`;

    const { status, response } = await resumed(content);

    expect(status).toBe(400);
    expect(await refusal(response)).toBe('messages.1.content.1.content.0.encrypted_content');
  });

  it('may be from a provider in an earlier turn, with a known title and address', async () => {
    const content = await conversation();
    for (const result of content[1]!['content'] as Block[]) result['encrypted_content'] = 'EpAB';

    const { status } = await resumed(content);

    expect(status).toBe(200);
    const text = JSON.stringify(search.asked[0]!.messages);
    expect(text).toContain('https://towers.example/ostankino');
    expect(text).not.toContain('opened in 1967');
  });
});

describe('a search before the answer', () => {
  it.each([
    ['the plugin', { plugins: [{ id: 'web', max_results: 1 }] }, 1],
    ['the suffix', { model: 'test/model:online' }, 2],
  ])('by %s gives the model the results, and the answer cites them', async (_, body, found) => {
    search.plays(answer);

    const { content, usage, id } = await whole({ tools: undefined, ...body });

    expect((await finalGeneration(gateway, id))['num_search_results']).toBe(found);
    expect(search.queries).toEqual(['How high is the tower?']);
    expect(JSON.stringify(search.asked[0]!.messages.at(-1))).toContain('[1] Tower');
    expect(content).toMatchObject([
      { type: 'text', text: 'It is 540 metres high', citations: [{ url: tower[0]!.url }] },
      { type: 'text', text: '. That is all.' },
    ]);
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 }, cost: cost([[100, 20]], 1) });
    expect(JSON.stringify(search.asked[0]!.messages).includes('[2] Towers')).toBe(found === 2);
  });

  it("does not conflict with a client's own function of that name", async () => {
    search.plays(calling('mine'));

    const { content, stop_reason } = await whole({
      tools: [{ name: 'web_search', input_schema: { type: 'object' } }],
      plugins: [{ id: 'web' }],
    });

    expect(content).toMatchObject([{ type: 'tool_use', name: 'web_search', input: { query: 'mine' } }]);
    expect({ stop_reason, queries: search.queries }).toEqual({
      stop_reason: 'tool_use',
      queries: ['How high is the tower?'],
    });
  });

  it('that fails costs nothing, and the model answers without results', async () => {
    search.finds(() => 500);
    search.plays({ text: 'I do not know.' });

    const { usage } = await whole({ tools: undefined, plugins: [{ id: 'web' }] });

    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 0 }, cost: cost([[100, 20]], 0) });
    search.finds(() => tower);
  });
});

describe('a key with a limit in a search loop', () => {
  it('pays for no search without room: the answer ends there', async () => {
    search.plays({ ...calling('one', 'two', 'three'), usage: { prompt: 100, completion: 20 } }, answer);
    const poor = await limited(2.5);

    const { response, id } = await ask({ stream: true, max_tokens: 100 }, poor);
    const events = await readEvents(response);

    expect(events.at(-2)).toMatchObject({
      type: 'message_delta',
      delta: { stop_reason: 'max_tokens' },
      metadata: { limit_source: 'key_limit' },
    });
    expect(search.queries).toEqual([]);
    expect(await finalGeneration(poor, id)).toMatchObject({ total_cost: cost([[100, 20]], 0) });
  });

  it('pays for no search after a round that has used all room', async () => {
    search.plays({ ...calling('one'), usage: { prompt: 100, completion: 10_000 } }, answer);

    const { stop_reason } = await whole({ max_tokens: 10_000 }, await limited(15));

    expect({ stop_reason, queries: search.queries }).toEqual({ stop_reason: 'max_tokens', queries: [] });
  });

  it('gets a search before the answer if its limit is the amount that the refusal stated', async () => {
    const words = 'The model goes on and on, as models do. '.repeat(20).trim();
    search.plays({ text: words, usage: { prompt: 100, completion: 200 } });
    const asked = { tools: undefined, plugins: [{ id: 'web' }] };
    const { response } = await ask(asked, await limited(1));
    const { error } = (await response.json()) as { error: { metadata: { required_rub: string } } };

    const { content, stop_reason } = await whole(asked, await limited(Number(error.metadata.required_rub)));

    expect({ content, stop_reason }).toMatchObject({ content: [{ text: words }], stop_reason: 'end_turn' });
  });
});

describe('a protected value in a search', () => {
  it('is sent neither to the model nor to the search, and is restored for the client', async () => {
    const settings = { enabled: true, categories: ['email'], action: 'replace', restore: true };
    const created = await manage(gateway, 'POST', '/keys', { name: 'protected', sensitive_data: settings });
    const careful = { ...gateway, key: (created.body as { key: string }).key };
    search.finds((query) => [
      { title: query, url: 'https://a.example/', content: 'Write to ivan@mail.example or boss@mail.example.' },
    ]);
    search.plays(calling('who is [EMAIL_1]'), { text: 'It is [EMAIL_1], not [EMAIL_2] [1].' });

    const { content } = await whole({ messages: [said('Who is ivan@mail.example?')] }, careful);

    expect(search.queries).toEqual(['who is [EMAIL_1]']);
    expect(JSON.stringify(search.asked)).not.toContain('mail.example');
    expect(content[0]).toMatchObject({ input: { query: 'who is ivan@mail.example' } });
    expect(content[2]).toMatchObject({ text: 'It is ivan@mail.example, not boss@mail.example' });
    search.finds(() => tower);
  });
});

describe('a request with searches', () => {
  const invalid: [string, object, string][] = [
    [
      'both lists of domains',
      { tools: [{ ...tool, allowed_domains: ['a.example'], blocked_domains: ['b.example'] }] },
      'tools.0.blocked_domains',
    ],
    [
      'a domain with a scheme',
      { tools: [{ ...tool, allowed_domains: ['https://a.example'] }] },
      'tools.0.allowed_domains.0',
    ],
    ['no uses', { tools: [{ ...tool, max_uses: 0 }] }, 'tools.0.max_uses'],
    ['another name', { tools: [{ ...tool, name: 'search' }] }, 'tools.0.name'],
    ['a model that calls no functions', { model: 'test/plain' }, 'tools.0.type'],
    ['an unknown version', { tools: [{ ...tool, type: 'web_search_20990101' }] }, 'tools.0.type'],
    ['a field that it does not have', { tools: [{ ...tool, depth: 3 }] }, 'tools.0.depth'],
    [
      'a tool of the same name',
      { tools: [tool, { name: 'web_search', input_schema: { type: 'object' } }] },
      'tools.1.name',
    ],
    [
      'an invalid country',
      { tools: [{ ...tool, user_location: { type: 'approximate', country: 'Russia' } }] },
      'tools.0.user_location.country',
    ],
    ['an unknown plugin', { plugins: [{ id: 'pdf' }] }, 'plugins.0.id'],
    ['a field that the plugin does not have', { plugins: [{ id: 'web', engine: 'exa' }] }, 'plugins.0.engine'],
  ];
  it.each(invalid)('with %s is refused by the name of the field', async (_, body, field) => {
    const { status, response } = await ask(body);
    expect(status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { metadata: { field } } });
  });

  it('may have empty lists, and a newer version', async () => {
    search.plays(calling('tower'), answer);
    const lists = { allowed_domains: [], blocked_domains: null, user_location: null };
    const { usage } = await whole({ tools: [{ ...tool, ...lists, type: 'web_search_20260318' }] });
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
  });

  it('finds only pages of the allowed domains', async () => {
    search.plays(calling('tower'), answer);
    const { content } = await whole({ tools: [{ ...tool, allowed_domains: ['lists.example'] }] });
    expect(content[1]!['content']).toMatchObject([{ url: 'https://lists.example/towers' }]);
  });
});
