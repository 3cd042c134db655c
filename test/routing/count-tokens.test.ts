import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { countAtFirst, countUpstream } from '../../lambdas/routing/count-tokens.ts';
import { candidateAt } from '../support/candidate.ts';
import { dialects } from '../support/dialects.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';
import { keepLog } from '../support/log-lines.ts';

afterEach(stopUpstreams);

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const request: MessagesRequest = { model: 'test/model', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const quirks = { count_tokens: true };

async function counted(answer: (response: ServerResponse) => unknown, timeoutMs?: number) {
  const { url } = await upstream(answer);
  return countUpstream(
    candidateAt(url, { quirks, credential: 'sk-acme-12345' }),
    request,
    client,
    timeoutMs === undefined ? {} : { timeoutMs },
  );
}

describe('a count of tokens', () => {
  it("is the provider's count of the complete prompt", async () => {
    const paths: unknown[] = [];
    const { url, bodies } = await upstream((response, { url: path }) => {
      paths.push(path);
      response.end('{"input_tokens":17}');
    });

    expect(await countUpstream(candidateAt(url, { quirks }), request, client)).toBe(17);

    expect(paths).toEqual(['/v1/messages/count_tokens']);
    expect(JSON.parse(bodies[0]!)).toEqual({ model: 'm', messages: request.messages });
  });

  it('is read from the field of each wire', async () => {
    const { url } = await upstream((response) => response.end('{"totalTokens":17,"promptTokensDetails":[]}'));
    const candidate = candidateAt(url, { wire: 'google-gemini', quirks: { count_tokens: 'request' } });

    expect(await countUpstream(candidate, request, client)).toBe(17);
  });

  it.each([
    ['anthropic', {}],
    ['openai-chat', quirks],
  ] as const)('is not requested if the endpoint cannot count: %s, %j', async (wire, of) => {
    const { url, connections } = await upstream(() => {});

    expect(await countUpstream(candidateAt(url, { wire, quirks: of }), request, client)).toBeUndefined();

    expect(connections).toHaveLength(0);
  });

  it.each(['{"input_tokens":0}', '{"input_tokens":-5}', '{"input_tokens":1.5}', '{"input_tokens":"17"}', 'null', '{}'])(
    'is missing if the provider returns an invalid count: %s',
    async (text) => {
      expect(await counted((response) => response.end(text))).toBeUndefined();
    },
  );

  it('is refused as its provider refuses it, without secrets', async () => {
    const refusing = counted((response) =>
      response
        .writeHead(400)
        .end(dialects.anthropic.refusal('invalid_request_error', '"prompt is too long, sk-acme-12345"')),
    );

    await expect(refusing).rejects.toMatchObject({
      kind: 'context_length_exceeded',
      message: expect.stringMatching(/^prompt is too long, \[hidden\] \(/) as string,
    });
  });

  it.each([
    ['sends invalid JSON', (response: ServerResponse) => response.end('<html>')],
    ['breaks off', (response: ServerResponse) => response.destroy()],
  ])('is a failure of the provider if the provider %s', async (_how, answer) => {
    await expect(counted(answer)).rejects.toMatchObject({ name: 'ProviderFailure', kind: 'provider_unavailable' });
  });

  it('is abandoned after a timeout', async () => {
    await expect(counted(() => {}, 30)).rejects.toMatchObject({ name: 'ProviderFailure', mayTryAnother: false });
  });
});

async function candidatesAt(...answers: ((response: ServerResponse) => unknown)[]) {
  const upstreams = await Promise.all(answers.map((answer) => upstream(answer)));
  return upstreams.map(({ url }) => candidateAt(url, { quirks }));
}

describe('a count of tokens with several candidates', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } };
  const showing: MessagesRequest = { ...request, messages: [{ role: 'user', content: [image] }] };

  it('is that of the first candidate that accepts the complete prompt', async () => {
    const [blind, seeing] = await candidatesAt(
      () => {},
      (response) => response.end('{"input_tokens":17}'),
    );
    const lacks: AnthropicQuirks = { ...quirks, lacks: ['image'] };
    const lacking = { ...blind!, target: { ...blind!.target, quirks: lacks } };

    expect(await countAtFirst([lacking, seeing!], showing, client)).toBe(17);
    await expect(countAtFirst([lacking], showing, client)).rejects.toMatchObject({ kind: 'invalid_request' });
  });

  it('is that of the next candidate if one fails', async () => {
    const candidates = await candidatesAt(
      (response) => response.writeHead(503).end('{}'),
      (response) => response.end('{"input_tokens":17}'),
    );

    expect(await countAtFirst(candidates, request, client)).toBe(17);
  });

  it('raises the alarm if a provider refuses the account of the operator, and counts at the next one', async () => {
    const candidates = await candidatesAt(
      (response) => response.writeHead(401).end(dialects.anthropic.refusal('authentication_error', '"no"')),
      (response) => response.end('{"input_tokens":17}'),
    );

    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const lines = keepLog();

    expect(await countAtFirst(candidates, request, client)).toBe(17);

    expect(lines).toEqual([
      expect.objectContaining({ message: 'provider refuses the operator', provider: 'acme', providerStatus: 401 }),
    ]);
  });
});
