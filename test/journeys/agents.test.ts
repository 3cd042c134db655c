import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { digest } from '../../lambdas/providers/translated/user-digest.ts';
import { agentHeaders, agentTurn } from '../support/agent-session.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, startGateway, type RunningGateway, type GatewayClient } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { startRefusingBedrock, type RefusingBedrock } from '../support/refusing-bedrock.ts';
import { readEvents } from '../support/sse.ts';
import { frames } from '../support/upstream.ts';

const policy = { logs_prompts: false, trains_on_prompts: false };
const pricing = { prompt: '0.001', completion: '0.01' };
const turns = [1, 2, 3] as const;

const home = (id: string, base_url: string, quirks: object) => ({
  id,
  name: id,
  wire: 'anthropic',
  base_url,
  data_policy: policy,
  quirks,
});

interface Asked {
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

let bedrock: RefusingBedrock;
let anthropic: Listening;
const askedOfAnthropic: Asked[] = [];
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  bedrock = await startRefusingBedrock();
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
      askedOfAnthropic.push({ headers: request.headers, body: JSON.parse(text) as Asked['body'] });
      response.end(frames.start + frames.blockStart + frames.text('Done.') + frames.end(2));
    })();
  });
  anthropic = await listen(server);
  const atHome = { provider: 'home', pricing, quirks: { thinks_by_default: false } };
  const atBedrock = { provider: 'cloud', pricing, quirks: { thinks_by_default: false } };
  const more = { supported_parameters: ['tools', 'reasoning', 'max_tokens'] };
  catalog = catalogDirectory(
    [
      textModel('anthropic/claude-test-4.8', [atHome], more),
      textModel('test/at-bedrock', [atBedrock], more),
      textModel('test/at-both', [atHome, atBedrock], more),
      textModel(
        'test/first-at-bedrock',
        [{ ...atBedrock }, { ...atHome, pricing: { prompt: '1', completion: '1' } }],
        more,
      ),
    ],
    [home('home', anthropic.url, { own_service: true }), home('cloud', bedrock.url, { envelope: 'bedrock-invoke' })],
  );
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
beforeEach(() => {
  askedOfAnthropic.length = 0;
  bedrock.refusals.length = 0;
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([bedrock.stop(), anthropic.stop()]);
  catalog.remove();
});

async function play(model: string, turn: (typeof turns)[number], change: object = {}, headers: object = {}) {
  const request = { ...agentTurn(turn, { model, sum: String(turn) }), ...change };
  const response = await post(gateway, '/messages?beta=true', request, { ...agentHeaders, ...headers });
  return { status: response.status, response, events: response.status === 200 ? await readEvents(response) : [] };
}

describe('an agent session', () => {
  it.each(turns)(
    'is sent to Anthropic’s own service, changed only in user id and output limit (turn %i)',
    async (turn) => {
      expect((await play('claude-test-4-8[1m]', turn)).status).toBe(200);

      const [asked] = askedOfAnthropic;
      const { model: _, ...sent } = agentTurn(turn, { model: '', sum: String(turn) });
      expect(asked!.headers['anthropic-beta']).toBe(agentHeaders['anthropic-beta']);
      const { user_id: user } = (sent as MessagesRequest).metadata!;
      const metadata = { user_id: digest(`${gateway.accountId}\n${user}`) };
      expect(asked!.body).toMatchObject(
        JSON.parse(JSON.stringify({ ...sent, metadata, max_tokens: 10_000 })) as object,
      );
    },
  );

  it("is recorded under the catalog's id of the model", async () => {
    const { response } = await play('claude-test-4-8-20260401', 1);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation['model']).toBe('anthropic/claude-test-4.8');
  });

  it.each(turns)('is answered at Amazon Bedrock (turn %i)', async (turn) => {
    const { status, events } = await play('test/at-bedrock', turn);
    expect([status, bedrock.refusals]).toEqual([200, []]);
    expect(events.at(-1)).toMatchObject({ type: 'message_stop' });
  });

  it('is answered at either of two endpoints of one price', async () => {
    const before = bedrock.answered();
    const conversations = Array.from({ length: 20 }, async (_, index) => {
      const session = { 'x-claude-code-session-id': `session-${index}` };
      const { status } = await play('test/at-both', 1, {}, session);
      return status;
    });
    expect(new Set(await Promise.all(conversations))).toEqual(new Set([200]));
    expect(bedrock.answered()).toBeGreaterThan(before);
    expect(askedOfAnthropic.length).toBeGreaterThan(0);
    expect(bedrock.refusals).toEqual([]);
  });

  it('continues at another endpoint if one rejects a new field', async () => {
    const unknown = { brand_new: { x: 1 } };
    expect((await play('test/first-at-bedrock', 1, unknown)).status).toBe(200);
    expect(bedrock.refusals).toEqual(['brand_new: Extra inputs are not permitted']);
    expect(askedOfAnthropic[0]!.body).toMatchObject(unknown);
    expect((await play('test/first-at-bedrock', 2)).status).toBe(200);
    expect(askedOfAnthropic).toHaveLength(1);
  });
});

const sandboxes = ['claude', 'gpt', 'gemini', 'reasoner', 'bedrock', 'bedrock-claude', 'thinker'];
let shipped: GatewayClient;
beforeAll(async () => {
  shipped = await commonGateway();
});

describe.each(sandboxes)('an agent session on sandbox/%s', (name) => {
  it.each(turns)('is answered to its end (turn %i)', async (turn) => {
    const request = agentTurn(turn, { model: `sandbox/${name}`, sum: String(turn) });
    const response = await post(shipped, '/messages?beta=true', request, agentHeaders);
    expect(response.status, await response.clone().text()).toBe(200);
    expect((await readEvents(response)).at(-1)).toMatchObject({ type: 'message_stop' });
  });
});

describe('a model without a usable provider', () => {
  it('is refused with the missing variable, in an error that agents show', async () => {
    const response = await post(
      shipped,
      '/messages',
      agentTurn(1, { model: 'claude-opus-4-8', sum: '1' }),
      agentHeaders,
    );
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false']);
    expect(error.message).toContain('ANTHROPIC_API_KEY');
  });
});
