import Anthropic from '@anthropic-ai/sdk';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import type { MessageBody } from '../../lambdas/messages/types.ts';
import { textModel } from '../support/catalog.ts';
import { wires, type WireName } from '../support/dialects.ts';
import { finalGeneration, post, type RunningGateway } from '../support/gateway.ts';
import type { Exchange } from '../support/hostile-upstream.ts';
import { manage } from '../support/manage.ts';
import { startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';
import { readEvents } from '../support/sse.ts';

const EMAIL = 'ann.secret@example.org';
const PHONE = '+7 916 204-18-33';
const TERM = 'Project Falcon';
const PROMPT = `Write to ${EMAIL} about ${TERM}, then call ${PHONE}.`;
const SENT = 'Write to [EMAIL_1] about the project, then call [PHONE_1].';

let scripted: ScriptedGateway;
beforeAll(async () => {
  scripted = await startScriptedGateway({
    models: wires.map((wire) =>
      textModel(`test/${wire}`, [{ provider: `test-${wire}`, pricing: { prompt: '0.001', completion: '0.002' } }]),
    ),
    providers: wires.map((wire) => ({ id: `test-${wire}`, wire })),
  });
});
afterAll(() => scripted.stop());

/** Returns a client whose key removes sensitive data from prompts. */
async function protecting(settings: object = {}): Promise<RunningGateway> {
  const { gateway } = scripted;
  const { body } = await manage(gateway, 'POST', '/keys', {
    name: 'protected',
    sensitive_data: {
      enabled: true,
      action: 'replace',
      categories: ['email', 'phone', 'card'],
      dictionary: [{ term: TERM, substitute: 'the project' }],
      ...settings,
    },
  });
  return { ...gateway, key: body.key as string };
}

/**
 * Makes the provider send a text in pieces of three characters.
 * @returns a text for the prompt, and the bodies that the provider receives
 */
function speaking(words: string): { marker: string; sent: string[] } {
  const sent: string[] = [];
  const marker = scripted.behaves(async ({ dialect, body, begin, send, finish }: Exchange) => {
    sent.push(body);
    await begin();
    await send(dialect.opening());
    for (const piece of words.match(/.{1,3}/gs)!) await send(dialect.text(piece));
    await send(dialect.reason() + dialect.stop);
    await finish();
  });
  return { marker, sent };
}

const asking = (wire: WireName, content: string, more: object = {}) => ({
  model: `test/${wire}`,
  max_tokens: 500,
  messages: [{ role: 'user' as const, content }],
  ...more,
});

const textOf = ({ content }: Pick<MessageBody, 'content'>) => content.map(({ text }) => text).join('');

describe.each(wires)('sensitive data over %s', (wire) => {
  it('is replaced by placeholders for the provider, and restored for the client', async () => {
    const { marker, sent } = speaking('Shall I ask [EMAIL_1] or [PHONE_1]?');

    const response = await post(await protecting(), '/messages', asking(wire, `${PROMPT} ${marker}`));

    expect(textOf((await response.json()) as MessageBody)).toBe(`Shall I ask ${EMAIL} or ${PHONE}?`);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain(SENT);
    expect(sent[0]).not.toMatch(/ann\.secret|204-18-33|Falcon/);
  });

  it('is restored in a stream, in pieces that never contain part of a placeholder', async () => {
    const { marker } = speaking('Shall I ask [EMAIL_1] or [PHONE_1]?');
    const client = await protecting();

    const response = await post(client, '/messages', asking(wire, `${PROMPT} ${marker}`, { stream: true }));
    const events = await readEvents(response);

    const pieces = events.flatMap((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : [],
    );
    expect(pieces.join('')).toBe(`Shall I ask ${EMAIL} or ${PHONE}?`);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.filter((piece) => piece.includes('['))).toEqual([]);
  });
});

describe('an SDK client of a protected key', () => {
  it('has a conversation with a tool, with restored arguments', async () => {
    const sent: string[] = [];
    const marker = scripted.behaves(async ({ dialect, body, begin, send, finish }) => {
      sent.push(body);
      await begin();
      await send(
        dialect
          .opening()
          .replace('{"type":"text","text":""}', '{"type":"tool_use","id":"toolu_1","name":"send","input":{}}'),
      );
      for (const piece of ['{"to": "[EMA', 'IL_1]", "no', 'te": "[PHO', 'NE_1]"}']) {
        const delta = { type: 'input_json_delta', partial_json: piece };
        await send(dialect.event(JSON.stringify({ type: 'content_block_delta', index: 0, delta })));
      }
      await send(dialect.reason().replace('end_turn', 'tool_use') + dialect.stop);
      await finish();
    });
    const { anthropicUrl: baseURL, key: apiKey } = await protecting();
    const sdk = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
    const tools: Anthropic.Tool[] = [{ name: 'send', input_schema: { type: 'object' } }];
    const request = asking('anthropic', `${PROMPT} ${marker}`, { tools });

    const first = await sdk.messages.stream(request).finalMessage();
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: `sent to ${EMAIL}` };
    await sdk.messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [result] },
      ],
    });

    expect(first.content).toMatchObject([{ type: 'tool_use', input: { to: EMAIL, note: PHONE } }]);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toContain('"input":{"to":"[EMAIL_1]","note":"[PHONE_1]"}');
    expect(sent[1]).toContain('sent to [EMAIL_1]');
    expect(sent.join('')).not.toMatch(/ann\.secret|204-18-33/);
  });
});

describe('a key with restore: false', () => {
  it('returns the placeholders', async () => {
    const { marker } = speaking('Ask [EMAIL_1].');

    const response = await post(
      await protecting({ restore: false }),
      '/messages',
      asking('anthropic', `${PROMPT} ${marker}`),
    );

    expect(textOf((await response.json()) as MessageBody)).toBe('Ask [EMAIL_1].');
  });
});

describe('a key that blocks', () => {
  it.each(['/messages', '/messages/count_tokens'])(
    'sends nothing from %s, and returns the field and the category',
    async (path) => {
      const { marker, sent } = speaking('Hello');

      const response = await post(
        await protecting({ action: 'block' }),
        path,
        asking('anthropic', `${PROMPT} ${marker}`),
      );

      expect(response.status).toBe(400);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({
        error: { metadata: { field: 'messages.0.content', category: 'email' } },
      });
      expect(text).not.toMatch(/ann\.secret|204-18-33|Falcon/);
      expect(sent).toEqual([]);
    },
  );

  it('leaves no generation for a blocked request, and is answered for its next request', async () => {
    const client = await protecting({ action: 'block' });

    const response = await post(client, '/messages', asking('anthropic', PROMPT));

    const id = response.headers.get('x-generation-id')!;
    expect((await post(client, '/messages', asking('anthropic', 'Hello'))).status).toBe(200);
    const found = await fetch(`${client.baseUrl}/generation?id=${id}`, {
      headers: { authorization: `Bearer ${client.key}` },
    });
    expect(found.status).toBe(404);
  });
});

describe('a protected value', () => {
  it('is in no error of a provider that quotes its prompt', async () => {
    const marker = scripted.behaves(({ dialect, body, respond }) => {
      const [quoted] = /Write to [^.]*\./.exec(body)!;
      return respond(
        '400 Bad Request',
        { 'content-type': 'application/json' },
        dialect.refusal('invalid_request_error', JSON.stringify(`refused: ${quoted}`)),
      );
    });

    const response = await post(await protecting(), '/messages', asking('anthropic', `${PROMPT} ${marker}`));

    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain('[EMAIL_1]');
    expect(error.message).not.toContain('ann.secret');
  });

  it('is in no log and no item of the table, and the tokens of its request are recorded', async () => {
    const { marker } = speaking('Ask [EMAIL_1].');
    const client = await protecting();
    const response = await post(client, '/messages', asking('openai-chat', `${PROMPT} ${marker}`));
    await response.text();

    const generation = await finalGeneration(client, response.headers.get('x-generation-id')!);
    const table = client.table();
    const { Items } = await documentsOf(table).send(new ScanCommand({ TableName: table.name }));

    expect(generation).toMatchObject({ tokens_prompt: 10, cancelled: false });
    expect(JSON.stringify(Items)).not.toMatch(/ann\.secret|204-18-33/);
    expect(client.log()).not.toMatch(/ann\.secret|204-18-33|Falcon/);
  });
});
