import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chargeForMeasured } from '../../lambdas/accounting/charge.ts';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import { countedPlan, prepareAttempts } from '../../lambdas/inference/messages/attempts.ts';
import { messageTerms } from '../../lambdas/inference/messages/message-hold.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { Money } from '../../lambdas/money/money.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import { resources } from '../../lambdas/resources.ts';
import type { Candidate } from '../../lambdas/routing/candidates.ts';
import { candidateAt } from '../support/candidate.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const message: MessagesRequest = { model: 'test/model', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const routed = {
  message,
  content: measurePrompt(message),
  client: { anthropicVersion: '2023-06-01', anthropicBeta: undefined },
  origins: undefined,
  leftOut: [],
  requiresParameters: false,
  onExcluded: undefined,
};

/** Returns a candidate whose requests are added to a list. The weak references do not keep these requests in memory. */
function listing(written: WeakRef<object>[]): Candidate {
  const candidate = candidateAt('http://localhost');
  const { wire } = candidate;
  const encode: typeof wire.encode = (...asked) => {
    const encoded = wire.encode(...asked);
    written.push(new WeakRef(encoded));
    return encoded;
  };
  return { ...candidate, wire: { ...wire, encode } };
}

describe('the attempts of a request', () => {
  it('keep one body, that of the first, because bodies may be large and most are never sent', async () => {
    const written: WeakRef<object>[] = [];

    const { attempts } = prepareAttempts(routed, [listing(written), listing(written), listing(written)]);

    await nextTurn();
    collectGarbage();
    expect(written.map((body) => body.deref() !== undefined)).toEqual([true, false, false]);
    expect(attempts.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it.each([
    [262_144, 262_154],
    [1_000, 65_546],
  ])(
    'have a bound that adds thinking to max_tokens: the larger of the budget of %i tokens and the maximum output',
    (max_thinking_budget, outputTokens) => {
      const candidate = candidateAt('http://localhost');
      const quirks = { reasoning_beyond_max_tokens: true, max_thinking_budget };
      const endpoint = { ...candidate.endpoint, maxOutputTokens: 65_536, quirks };

      const { attempts } = prepareAttempts(routed, [{ ...candidate, endpoint }]);

      expect(attempts[0]!.quote.bound.outputTokens).toBe(outputTokens);
    },
  );

  it.each(['tools', 'output_config', 'output_format'])(
    'have a count of the prompt that includes replaced references in the schemas of %s',
    async (field) => {
      const large = { type: 'string', description: 'word '.repeat(3_000) };
      const properties = { large, again: { $ref: '#/properties/large' } };
      const schema = { type: 'object', properties };
      const format = { type: 'json_schema', schema };
      const fields = { tools: [{ name: 'a', input_schema: schema }], output_config: { format }, output_format: format };
      const request = { ...message, [field]: fields[field as keyof typeof fields] };
      const content = measurePrompt(request);
      const candidate = candidateAt('http://localhost:1', { wire: 'openai-chat', quirks: { tokenizer: 'o200k' } });
      candidate.target.supportedParameters = ['tools', 'structured_outputs'];
      const prepared = prepareAttempts({ ...routed, message: request, content }, [candidate]);

      const caller = { account: { id: 'a' }, key: { hash: 'k' } } as never;
      // The first count loads the vocabulary, and may take too long.
      const plan = await vi.waitFor(
        async () => (await countedPlan(prepared, { caller, clientLeft: undefined })) ?? Promise.reject(new Error()),
        { timeout: 60_000 },
      );

      expect(plan.quotes[0]!.bound.promptTokens).toBeGreaterThan(6_000);
    },
  );

  it('have an estimate of the prompt with the price of recordings, charged if the process dies', async () => {
    const source = { type: 'base64', media_type: 'audio/wav', data: 'A'.repeat(6_670) };
    const request: MessagesRequest = { ...message, messages: [{ role: 'user', content: [{ type: 'audio', source }] }] };
    const candidate = candidateAt('http://localhost');
    const endpoint = { ...candidate.endpoint, contextLength: 1_000 };
    const prepared = prepareAttempts({ ...routed, content: measurePrompt(request) }, [{ ...candidate, endpoint }]);
    const table = vi.spyOn(resources, 'table').mockReturnValue({} as never);
    onTestFinished(() => table.mockRestore());
    const input = {
      caller: { account: { id: 'a' }, scopes: [] },
      generationId: newGenerationId(),
      request: {},
    } as never;

    expect((await messageTerms(input, prepared)).prompt).toMatchObject({ inputTokens: 0, audioInputTokens: 10 });
  });

  // These prices have the same ratios as the prices of GLM-5.3 on Bedrock.
  it.each([
    ['GLM, as cache writes, because Bedrock caches by itself', {}, '22680'],
    ['Claude without a cache point, as other tokens', { family: 'claude' as const }, '18480'],
  ])('at Bedrock charge reported cache writes of %s', (_, quirks, cost) => {
    const pricing = {
      prompt: Money.parse('168'),
      completion: Money.parse('528'),
      input_cache_read: Money.parse('31.2'),
      input_cache_write: Money.parse('210'),
    };
    const candidate = candidateAt('http://localhost', { wire: 'bedrock-converse', quirks });
    const { attempts } = prepareAttempts(routed, [{ ...candidate, held: { pricing, serviceCost: undefined } }]);
    const meter = new UsageMeter({ estimatedInputTokens: 1, promptCountedAtStart: false });
    meter.addReported({ input_tokens: 10, cache_creation_input_tokens: 100, output_tokens: 0 });

    const charged = chargeForMeasured(meter, attempts[0]!.quote, 'usage', undefined);

    expect(charged.cost.toString()).toBe(cost);
  });
});
