import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { shortRecording } from '../support/client-api-bodies.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, said, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => void (gateway = await commonGateway()));

const message = (directives = 'delay=0', more: object = {}) => ({
  model: 'sandbox/claude',
  max_tokens: 20,
  messages: [said('Hi', directives)],
  ...more,
});

const decision = (directives = 'delay=0', more: object = {}) => ({
  model: 'sandbox/judge',
  state: `I want my money back!\n@sandbox ${directives}`,
  questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } },
  ...more,
});

/** @param client default: the gateway's own key */
async function ask(header: string, body: object, { path = '/messages', client = gateway } = {}) {
  const response = await post(client, path, body, { 'idempotency-key': header });
  const text = await response.text();
  const { error } = text.startsWith('{') ? (JSON.parse(text) as { error?: Record<string, any> }) : {}; // oxlint-disable-line typescript/no-explicit-any -- errors of any shape
  return { status: response.status, id: response.headers.get('x-generation-id')!, headers: response.headers, error };
}

async function decide(header: string, body: object) {
  const response = await post(gateway, '/decisions', body, { 'idempotency-key': header });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as { id: string; usage: { cost: number } } };
}

const spent = async () => {
  const { data } = (await (await get(gateway, '/key')).json()) as { data: { usage: number } };
  return data.usage;
};

describe('requests with one Idempotency-Key', () => {
  it.each([
    ['/messages', message()],
    ['/messages', message('delay=0', { stream: true })],
    ['/chat/completions', message('delay=0')],
    ['/responses', { model: 'sandbox/claude', input: 'Hello\n@sandbox delay=0' }],
    ['/embeddings', { model: 'sandbox/embedder', input: 'Hello' }],
    ['/images', { model: 'sandbox/painter', prompt: 'Hello' }],
    ['/images/generations', { model: 'sandbox/token-painter', prompt: 'Hello', quality: 'low' }],
    ['/audio/speech', { model: 'sandbox/speaker', input: 'Hello' }],
    ['/text-to-speech/alto', { model_id: 'sandbox/speaker', text: 'Hello' }],
    ['/audio/transcriptions', { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
    ['/audio/translations', { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
    ['/rerank', { model: 'sandbox/unit-ranker', query: 'Hello', documents: ['Hello', 'Bye'] }],
  ])('are charged once at %s, and the second answer names the charge', async (path, body) => {
    const header = randomUUID();
    const first = await ask(header, body, { path });
    expect(first.status).toBe(200);
    const { total_cost: cost } = await finalGeneration(gateway, first.id);
    const before = await spent();

    const second = await ask(header, body, { path });

    expect(second.status).toBe(409);
    expect(second.headers.get('x-should-retry')).toBe('false');
    expect(second.error).toMatchObject({
      message: expect.stringContaining(first.id) as string,
      metadata: { field: 'idempotency-key', generation_id: first.id, total_cost_rub: String(cost), ending: 'complete' },
    });
    expect(await spent()).toBe(before);
  });

  describe('at /decisions', () => {
    it('get the first answer again, which is charged once', async () => {
      const header = randomUUID();
      const first = await decide(header, decision());
      await finalGeneration(gateway, first.body.id);
      const before = await spent();
      const second = await decide(header, decision());

      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(second.headers.get('x-generation-id')).toBe(first.body.id);
      expect(await spent()).toBe(before);
    });

    it('get one answer if they are concurrent', async () => {
      const header = randomUUID();
      const all = await Promise.all(Array.from({ length: 4 }, () => decide(header, decision('delay=50'))));

      expect(new Set(all.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
      expect(all.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(3);
    });

    it('get the charge if the answer is too large to be stored', async () => {
      const names = Array.from({ length: 250 }, (_, at) => `${at}`.padEnd(200, 'ж'));
      const criteria = Object.fromEntries(names.map((name) => [name, null]));
      const question = { type: 'choice', instructions: 'Topic?', criteria };
      const large = decision('delay=0', { questions: { a: question, b: question, c: question, d: question } });
      const header = randomUUID();
      const first = await decide(header, large);
      await finalGeneration(gateway, first.body.id);
      const second = await ask(header, large, { path: '/decisions' });

      expect([first.status, second.status]).toEqual([200, 409]);
      expect(second.error!['metadata']).toMatchObject({ generation_id: first.body.id, ending: 'complete' });
    });

    it('are refused with another body, and answered anew after a failure', async () => {
      const header = randomUUID();
      const failed = await decide(header, decision('error=500'));
      await finalGeneration(gateway, failed.headers.get('x-generation-id')!);
      const again = await decide(header, decision('error=500'));
      expect([failed.status, again.status]).toEqual([502, 502]);
      const other = randomUUID();
      expect((await decide(other, decision())).status).toBe(200);
      const { status, headers } = await decide(other, decision('delay=0', { state: 'Other' }));
      expect([status, headers.get('x-should-retry')]).toEqual([409, 'false']);
    });
  });

  it('are admitted once if they are concurrent, and the others may retry', async () => {
    const header = randomUUID();
    const all = await Promise.all(Array.from({ length: 4 }, () => ask(header, message('delay=50'))));

    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const other = all.find(({ status }) => status === 409)!;
    const { id } = all.find(({ status }) => status === 200)!;
    expect(other.error!['metadata'].generation_id).toBe(id);
    expect([other.headers.get('retry-after'), other.headers.get('x-should-retry')]).toEqual(['2', 'true']);
  });

  it('with different bodies are refused, and cost nothing', async () => {
    const header = randomUUID();
    await ask(header, message());
    const other = await ask(header, message('delay=0', { max_tokens: 21 }));

    expect(other).toMatchObject({ status: 409, error: { metadata: { field: 'idempotency-key' } } });
    expect(other.error!['message']).toMatch(/was used for another request/);
  });

  it.each([
    ['a path', '/text-to-speech/alto', '/text-to-speech/bass'],
    ['a query', '/text-to-speech/alto', '/text-to-speech/alto?output_format=wav_24000'],
  ])('with different parameters in %s are refused, and cost nothing', async (_place, path, otherPath) => {
    const header = randomUUID();
    const body = { model_id: 'sandbox/speaker', text: 'Hello' };
    expect((await ask(header, body, { path })).status).toBe(200);
    const other = await ask(header, body, { path: otherPath });

    expect(other.status).toBe(409);
    expect(other.error!['message']).toMatch(/was used for another request/);
  });

  it('may be repeated after a failure of the provider', async () => {
    const header = randomUUID();
    const failing = message('error=500');
    const failed = await ask(header, failing);
    expect(failed.status).toBe(502);
    await finalGeneration(gateway, failed.id);

    // If the body fails again, it was sent to the provider again.
    const again = await ask(header, failing);
    expect(again.status).toBe(502);
    expect(again.id).not.toBe(failed.id);
  });

  it('may be repeated after a refusal for lack of money', async () => {
    const { body: made } = await manage(gateway, 'POST', '/keys', { name: 'poor', limit: 0.000001 });
    const client = { ...gateway, key: made.key as string };
    const header = randomUUID();
    expect((await ask(header, message(), { client })).status).toBe(402);

    await manage(gateway, 'PATCH', `/keys/${made.data.hash}`, { limit: 100 });
    expect((await ask(header, message(), { client })).status).toBe(200);
    expect((await ask(header, message(), { client })).status).toBe(409);
  });

  it('from two API keys are independent', async () => {
    const { body: made } = await manage(gateway, 'POST', '/keys', { name: 'other' });
    const header = randomUUID();

    expect((await ask(header, message())).status).toBe(200);
    expect((await ask(header, message(), { client: { ...gateway, key: made.key as string } })).status).toBe(200);
  });

  it('are refused by name if the header is malformed', async () => {
    const { status, error } = await ask('x'.repeat(256), message());
    expect([status, error!['metadata'].field]).toEqual([400, 'idempotency-key']);
  });
});
