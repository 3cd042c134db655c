import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import { dispatch, type Attempt } from '../../lambdas/inference/messages/dispatch.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import { candidateAt } from '../support/candidate.ts';
import { answer, bytesOf, dialects } from '../support/dialects.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as Record<string, unknown>);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  return stopUpstreams();
});

const measured = () => lines.flatMap(({ _aws, ...fields }) => (_aws === undefined ? [] : [fields]));

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const thinking = { type: 'thinking', thinking: 'Hm', signature: 'sig' };
const conversation: MessagesRequest = {
  model: 'test/model',
  max_tokens: 10,
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Well' }] },
    { role: 'user', content: 'And?' },
  ],
};
const bound = { promptTokens: 0, outputTokens: 0, cacheWrites: 'none', pricedImages: 0, searchRequests: 0 } as const;

function attemptAt(url: string): Attempt {
  const candidate = candidateAt(url);
  const encodeOther = (message: MessagesRequest) => candidate.wire.encode(message, candidate.target, client);
  return {
    index: 0,
    candidate,
    quote: { pricing: candidate.pricing, bound, hiddenReasoningTokens: 0, beyondMaxTokens: 0 },
    message: conversation,
    encode: () => encodeOther(conversation),
    encodeOther,
    hasHiddenReasoning: false,
    leftOut: [],
  };
}

async function askedOf(reply: (response: ServerResponse, before: number) => unknown): Promise<void> {
  const { url } = await upstream((response, _request, before) => reply(response, before));
  const inTurn = {
    signal: new AbortController().signal,
    log: new AttemptLog(new ProviderTime()),
    requestId: 'req_test',
    health: { record: () => {}, publish: async () => {} },
  };
  const { batches } = await dispatch([attemptAt(url)], inTurn, 5);
  for await (const _ of batches);
}

const refusal = (response: ServerResponse, status: number, message: string) =>
  response.writeHead(status).end(dialects.anthropic.refusal('api_error', JSON.stringify(message)));
const sound = (response: ServerResponse) =>
  response.end(bytesOf(dialects.anthropic, answer(dialects.anthropic, 'fine')));
const UNREADABLE = 'messages.1.content.0: Invalid `signature` in `thinking` block';

describe("the metrics of a provider's answer", () => {
  it('count dropped reasoning by provider', async () => {
    await askedOf((response, before) => (before === 0 ? refusal(response, 400, UNREADABLE) : sound(response)));

    expect(measured()).toEqual([{ provider: 'acme', ReasoningDropped: 1 }]);
  });

  it('count a refusal that only the operator can fix, in total and by provider', async () => {
    await expect(askedOf((response) => refusal(response, 401, 'invalid x-api-key'))).rejects.toMatchObject({
      status: 502,
    });

    expect(measured()).toEqual([{ OperatorNeeded: 1 }, { provider: 'acme', OperatorNeeded: 1 }]);
  });

  it.each([400, 529])('count nothing if the provider answers with the status %d', async (status) => {
    await expect(askedOf((response) => refusal(response, status, 'no'))).rejects.toThrow();

    expect(measured()).toEqual([]);
  });

  it('count nothing for a successful answer', async () => {
    await askedOf(sound);

    expect(measured()).toEqual([]);
  });
});
