import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import type { ProviderFailure } from '../../lambdas/providers/failures.ts';
import { connect } from '../../lambdas/routing/connection.ts';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import type { FailoverOptions } from '../../lambdas/inference/failover.ts';
import { dispatch, type Attempt } from '../../lambdas/inference/messages/dispatch.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import { candidateAt } from '../support/candidate.ts';
import { answer, bytesOf, dialects, wires, type WireName } from '../support/dialects.ts';
import { exchange, stopUpstreams, upstream, type Seen } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const request: MessagesRequest = { model: 'test/model', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const { anthropic } = dialects;

const soundly = (wire: WireName) => (response: ServerResponse) =>
  response.end(bytesOf(dialects[wire], answer(dialects[wire], 'fine')));
const refuses = (status: number, message: string) => (response: ServerResponse) =>
  response.writeHead(status).end(anthropic.refusal('api_error', JSON.stringify(message)));
const breaksOff = (response: ServerResponse) => response.destroy();

const ESTIMATED_TOKENS = 5;
const NO_BOUND = { promptTokens: 0, outputTokens: 0, cacheWrites: 'none', pricedImages: 0, searchRequests: 0 } as const;

type Options = Parameters<typeof candidateAt>[1] & { hasHiddenReasoning?: boolean };

function attemptAt({ url }: Seen, { hasHiddenReasoning = false, ...options }: Options = {}): Attempt {
  const candidate = candidateAt(url, options);
  return {
    index: 0,
    candidate,
    quote: { pricing: candidate.pricing, bound: NO_BOUND, hiddenReasoningTokens: 0, beyondMaxTokens: 0 },
    message: request,
    encode: () => candidate.wire.encode(request, candidate.target, client),
    encodeOther: (other) => candidate.wire.encode(other, candidate.target, client),
    hasHiddenReasoning,
    leftOut: [],
  };
}

const inTurn = (more: Partial<FailoverOptions> = {}): FailoverOptions => ({
  signal: new AbortController().signal,
  log: new AttemptLog(new ProviderTime()),
  requestId: 'req_test',
  health: { record: () => {}, publish: async () => {} },
  ...more,
});

const failuresIn = (log: AttemptLog) => {
  const place = candidateAt('http://localhost');
  const tried: number[] = [];
  const { failedAttempts } = log.recorded((index) => (tried.push(index), place), 0);
  return failedAttempts.map(({ status }, at) => [tried[at], status]);
};

async function answered(attempts: Attempt[], more: Partial<FailoverOptions> = {}) {
  const placed = attempts.map((attempt, index) => ({ ...attempt, index }));
  const { index, batches } = await dispatch(placed, inTurn(more), ESTIMATED_TOKENS);
  let text = '';
  for await (const { events } of batches) {
    for (const { data } of events) {
      if (data.type === 'content_block_delta' && data.delta.type === 'text_delta') text += data.delta.text;
    }
  }
  return { index, text };
}

describe.each(wires)('an answer over %s', (wire) => {
  it('comes from the first endpoint that answers', async () => {
    const [first, second] = [await upstream(soundly(wire)), await upstream(soundly(wire))];

    expect(await answered([attemptAt(first, { wire }), attemptAt(second, { wire })])).toEqual({
      index: 0,
      text: 'fine',
    });

    expect(second.connections).toHaveLength(0);
  });

  it('may arrive as one document', async () => {
    const seen = await upstream((response) => response.end(dialects[wire].whole('whole')));

    expect(await answered([attemptAt(seen, { wire })])).toEqual({ index: 0, text: 'whole' });
  });

  it('is requested at the provider’s own path, with its credential', async () => {
    const asked: unknown[] = [];
    const { url } = await upstream((response, { url: path, headers }) => {
      asked.push(path, headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['authorization']);
      soundly(wire)(response);
    });

    await answered([attemptAt({ url: `${url}/base` } as Seen, { wire, credential: 'some-id:secret' })]);

    const expected = {
      anthropic: ['/base/v1/messages', 'some-id:secret'],
      'openai-chat': ['/base/chat/completions', 'Bearer some-id:secret'],
      'openai-responses': ['/base/responses', 'Bearer some-id:secret'],
      'google-gemini': ['/base/models/m:streamGenerateContent?alt=sse', 'some-id:secret'],
      'bedrock-converse': ['/base/model/m/converse-stream', expect.stringContaining(' Credential=some-id/')],
    };
    expect(asked).toEqual(expected[wire]);
  });

  it.each([
    ['refuses for a reason of its own', refuses(529, 'Busy')],
    ['refuses the gateway', refuses(401, 'No such key')],
    ['breaks off', breaksOff],
    ['ends before it begins', (response: ServerResponse) => response.end()],
    [
      'sends an error in the place of an answer',
      (response: ServerResponse) =>
        response.end(
          bytesOf(dialects[wire], dialects[wire].event(dialects[wire].refusal('overloaded_error', '"Busy"'))),
        ),
    ],
    [
      'sends an error as a document',
      (response: ServerResponse) => response.end(dialects[wire].refusal('overloaded_error', '"Busy"')),
    ],
    ['sends a document that is not JSON', (response: ServerResponse) => response.end('{"id":')],
    ['sends a document that is not an answer', (response: ServerResponse) => response.end('{"id":"1"}')],
  ])('comes from the next endpoint if one %s', async (_how, fail) => {
    const [broken, working] = [await upstream(fail), await upstream(soundly(wire))];

    expect(await answered([attemptAt(broken, { wire }), attemptAt(working, { wire })])).toEqual({
      index: 1,
      text: 'fine',
    });
  });
});

describe('no other endpoint is tried', () => {
  it.each([
    ['a request that is at fault itself', refuses(400, 'max_tokens: too low'), 'invalid_request'],
    ['a prompt that is too long', refuses(400, 'prompt is too long'), 'context_length_exceeded'],
    ['a body that is too large', refuses(413, 'Too large'), 'payload_too_large'],
  ])('after %s', async (_what, fail, kind) => {
    const [first, second] = [await upstream(fail), await upstream(soundly('anthropic'))];

    await expect(answered([attemptAt(first), attemptAt(second)])).rejects.toMatchObject({ kind });

    expect(second.connections).toHaveLength(0);
  });

  it('of the same model if the refusal concerns the model, but another model may be tried', async () => {
    const refusing = await upstream(refuses(400, 'prompt is too long'));
    const [same, other] = [await upstream(soundly('anthropic')), await upstream(soundly('anthropic'))];
    const { log } = inTurn();

    const attempts = [attemptAt(refusing), attemptAt(same), attemptAt(other, { model: 'test/larger' })];

    expect(await answered(attempts, { log })).toMatchObject({ index: 2 });
    expect(same.connections.length).toBe(0);
    expect(failuresIn(log)).toEqual([[0, 400]]);
  });

  it('after a silence that is charged, because the model may have been thinking', async () => {
    const silent = await upstream((response) => response.writeHead(200).flushHeaders());
    const second = await upstream(soundly('anthropic'));
    const timeouts = { idle_ms: 30 };

    const failing = answered([attemptAt(silent, { timeouts, hasHiddenReasoning: true }), attemptAt(second)]);

    await expect(failing).rejects.toMatchObject({ kind: 'timeout', wasSilent: true });
    expect(second.connections).toHaveLength(0);
    expect(await answered([attemptAt(silent, { timeouts }), attemptAt(second)])).toMatchObject({ index: 1 });
  });

  it('after the client has disconnected', async () => {
    const leaving = new AbortController();
    const first = await upstream((response) => {
      leaving.abort();
      response.destroy();
    });
    const second = await upstream(soundly('anthropic'));

    const failing = answered([attemptAt(first), attemptAt(second)], { signal: leaving.signal });

    await expect(failing).rejects.toMatchObject({ kind: 'provider_unavailable', mayTryAnother: false });
    expect(second.connections).toHaveLength(0);
  });
});

describe('the last failure of a request', () => {
  it('is reported, and not to be retried if every endpoint has been tried', async () => {
    const [first, second] = [await upstream(refuses(529, 'First')), await upstream(refuses(429, 'Second'))];

    await expect(answered([attemptAt(first), attemptAt(second)])).rejects.toMatchObject({
      kind: 'rate_limit_exceeded',
      message: 'Second',
      headers: { 'x-should-retry': 'false' },
    });
  });

  it.each([
    ['a limit that ends', refuses(429, 'Slow'), { kind: 'rate_limit_exceeded', message: 'Slow' }],
    ['a prompt that is too long', refuses(400, 'prompt is too long'), { kind: 'context_length_exceeded' }],
  ])('is %s at one endpoint, and not the refusal of the operator’s account at another', async (_what, refuse, told) => {
    const [first, second] = [await upstream(refuse), await upstream(refuses(401, 'No such key'))];

    const attempts = [attemptAt(first), attemptAt(second, { model: 'test/other' })];

    await expect(answered(attempts)).rejects.toMatchObject(told);
    expect(second.connections).toHaveLength(1);
  });

  it.each<[string, [number, string], [number, string]]>([
    ['first', [429, 'Slow'], [400, 'too many images and documents: 21 + 0 > 20']],
    ['last', [400, 'too many images and documents: 21 + 0 > 20'], [429, 'Slow']],
  ])('is a limit that ends at the %s endpoint, and not a lack of the other', async (_place, first, second) => {
    const upstreams = [await upstream(refuses(...first)), await upstream(refuses(...second))];

    await expect(answered(upstreams.map((each) => attemptAt(each)))).rejects.toMatchObject({
      kind: 'rate_limit_exceeded',
      message: 'Slow',
    });
    expect(upstreams.map(({ connections }) => connections.length)).toEqual([1, 1]);
  });

  it('is the lack of all endpoints, if no other failure occurred', async () => {
    const [first, second] = [
      await upstream(refuses(400, 'too many images and documents: 101 + 0 > 100')),
      await upstream(refuses(400, 'too many images and documents: 101 + 0 > 20')),
    ];

    await expect(answered([attemptAt(first), attemptAt(second)])).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'too many images and documents: 101 + 0 > 20',
    });
  });

  it('is the silence of the last endpoint, which may be charged, after a refusal of the operator’s account', async () => {
    const silent = await upstream((response) => response.writeHead(200).flushHeaders());
    const locked = await upstream(refuses(401, 'No such key'));

    await expect(answered([attemptAt(locked), attemptAt(silent, { timeouts: { idle_ms: 30 } })])).rejects.toMatchObject(
      { kind: 'timeout', wasSilent: true },
    );
  });

  it('may be retried if there is only one endpoint', async () => {
    const only = await upstream(refuses(429, 'Later'));

    const failure = await answered([attemptAt(only)]).catch((error: unknown) => error as ProviderFailure);

    expect(failure).toMatchObject({ message: 'Later' });
    expect((failure as ProviderFailure).headers).toEqual({});
  });

  it('does not contain the credential of its provider', async () => {
    const only = await upstream(refuses(500, 'The key sk-acme-12345 broke it'));

    await expect(answered([attemptAt(only, { credential: 'sk-acme-12345' })])).rejects.toMatchObject({
      message: 'The key [hidden] broke it',
    });
  });
});

describe('the first event of an answer', () => {
  const ping = anthropic.event('{"type":"ping"}');
  const busy = anthropic.event(anthropic.refusal('overloaded_error', '"Busy"'));

  it.each([
    ['in one piece with them', (response: ServerResponse) => response.end(ping + busy)],
    [
      'in a piece of its own',
      async (response: ServerResponse) => {
        response.write(ping);
        // During this exchange, the ping is read.
        await exchange((await upstream(soundly('anthropic'))).url);
        response.end(busy);
      },
    ],
  ])('is awaited after signs of life before the answer: %s', async (_how, fail) => {
    const [alive, working] = [await upstream(fail), await upstream(soundly('anthropic'))];

    expect(await answered([attemptAt(alive), attemptAt(working)])).toMatchObject({ index: 1 });
  });

  it('ends the fallbacks: a later failure is a failure of the answer', async () => {
    const failing = await upstream((response) => {
      response.write(anthropic.opening() + anthropic.text('begun'), () => response.destroy());
    });
    const second = await upstream(soundly('anthropic'));

    await expect(answered([attemptAt(failing), attemptAt(second)])).rejects.toMatchObject({ failure: 'broken' });

    expect(second.connections).toHaveLength(0);
  });
});

describe('the opening events of an answer', () => {
  const start = anthropic.opening();
  const leaves = (leaving: AbortController) => (response: ServerResponse) => {
    response.write(start);
    setTimeout(() => leaving.abort(), 1_000);
  };

  it('are kept until the first output, and sent with it', async () => {
    const output = Promise.withResolvers<void>();
    const seen = await upstream(async (response) => {
      response.write(start + anthropic.ping);
      await output.promise;
      response.end(anthropic.text('begun') + anthropic.reason() + anthropic.stop);
    });
    let isBegun = false;
    const begun = dispatch([attemptAt(seen)], inTurn(), ESTIMATED_TOKENS).then((dispatched) => {
      isBegun = true;
      return dispatched;
    });
    await exchange((await upstream(soundly('anthropic'))).url);
    expect(isBegun).toBe(false);

    output.resolve();

    const types: string[] = [];
    for await (const { events } of (await begun).batches) types.push(...events.map(({ data }) => data.type));
    expect(types.filter((type) => type !== 'ping').slice(0, 3)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
  });

  it.each([
    ['a call', '{"type":"tool_use","id":"t1","name":"look","input":{}}'],
    ['redacted thinking', '{"type":"redacted_thinking","data":"abc"}'],
  ])('end with the beginning of %s, which is output', async (_what, block) => {
    const seen = await upstream((response) => {
      const [message] = start.split('event: content_block_start');
      response.write(
        message! + anthropic.event(`{"type":"content_block_start","index":0,"content_block":${block}}`),
        () => response.destroy(),
      );
    });

    const { batches } = await dispatch([attemptAt(seen)], inTurn(), ESTIMATED_TOKENS);

    expect((await batches.next()).value?.events).not.toHaveLength(0);
    await expect(batches.next().then(() => batches.next())).rejects.toMatchObject({ failure: 'broken' });
  });

  it('are kept for the charge if the client disconnects before the first output', async () => {
    const leaving = new AbortController();
    const seen = await upstream(leaves(leaving));

    const { batches } = await dispatch([attemptAt(seen)], inTurn({ signal: leaving.signal }), ESTIMATED_TOKENS);

    const first = await batches.next();
    expect(first.value?.events[0]?.data.type).toBe('message_start');
    await expect(batches.next()).rejects.toThrow();
  });

  it.each([true, false])(
    'end the fallbacks, before a silence, only if the model may have hidden thinking: %s',
    async (hasHiddenReasoning) => {
      const silent = await upstream((response) => response.write(start));
      const second = await upstream(soundly('anthropic'));
      const attempts = [attemptAt(silent, { timeouts: { idle_ms: 40 }, hasHiddenReasoning }), attemptAt(second)];

      const answering = answered(attempts);

      if (hasHiddenReasoning) await expect(answering).rejects.toMatchObject({ failure: 'idle_timeout' });
      else expect(await answering).toMatchObject({ index: 1 });
    },
  );
});

describe('reasoning that its provider can no longer read', () => {
  const said = {
    role: 'assistant' as const,
    content: [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'text', text: 'Well' },
    ],
  };
  const conversation: MessagesRequest = {
    ...request,
    messages: [{ role: 'user', content: 'Hi' }, said, { role: 'user', content: 'And?' }],
  };
  const words = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const attemptOf = (seen: Seen): Attempt => {
    const attempt = attemptAt(seen);
    const { candidate } = attempt;
    return {
      ...attempt,
      message: conversation,
      encode: () => candidate.wire.encode(conversation, candidate.target, client),
    };
  };

  it('is dropped, and the request is sent again to the same endpoint', async () => {
    const seen = await upstream((response, _request, before) =>
      before === 0 ? refuses(400, words)(response) : soundly('anthropic')(response),
    );
    const { log } = inTurn();

    expect(await answered([attemptOf(seen)], { log })).toEqual({ index: 0, text: 'fine' });

    expect(seen.bodies.map((body) => body.includes('"thinking"'))).toEqual([true, false]);
    expect(seen.bodies[1]).toContain('Well');
    expect(failuresIn(log)).toEqual([]);
  });

  it('is dropped once, and a second refusal is the error of the request', async () => {
    const seen = await upstream(refuses(400, words));

    await expect(answered([attemptOf(seen)])).rejects.toMatchObject({ kind: 'invalid_request', message: words });

    expect(seen.bodies).toHaveLength(2);
  });

  it('is not assumed in a request without reasoning, so the request is not sent again', async () => {
    const seen = await upstream(refuses(400, words));

    await expect(answered([attemptAt(seen)])).rejects.toMatchObject({ kind: 'invalid_request' });

    expect(seen.bodies).toHaveLength(1);
  });
});

describe('an attempt', () => {
  it('is recorded, with the answering endpoint, the time at which the request was sent, and earlier failures', async () => {
    const { log } = inTurn();
    const [broken, working] = [await upstream(breaksOff), await upstream(soundly('anthropic'))];
    const beganAtMs = performance.now();

    await answered([attemptAt(broken), attemptAt(working)], { log });

    expect([log.index, log.failure, failuresIn(log)]).toEqual([1, undefined, [[0, null]]]);
    expect(log.sentAtMs).toBeGreaterThan(beganAtMs);
  });

  it('is recorded with its failure if it was the last, separately from earlier ones', async () => {
    const { log } = inTurn();

    await answered([attemptAt(await upstream(refuses(529, 'Busy')))], { log }).catch(() => undefined);

    expect([log.failure?.providerStatus, failuresIn(log)]).toEqual([529, []]);
  });

  it('uses the connection that was opened for it', async () => {
    const seen = await upstream(soundly('anthropic'));
    const attempt = attemptAt(seen);
    attempt.upstream = connect(attempt.candidate, attempt.encode(), inTurn().signal);

    await answered([attempt]);

    expect(seen.connections).toHaveLength(1);
  });

  it('closes its connection if it fails', async () => {
    const closed = Promise.withResolvers<void>();
    const failing = await upstream((response) => {
      response.once('close', () => closed.resolve());
      response.write(anthropic.event(anthropic.refusal('overloaded_error', '"Busy"')));
    });

    await expect(answered([attemptAt(failing)])).rejects.toMatchObject({ kind: 'provider_overloaded' });

    await closed.promise;
  });

  it('ends the work of its provider if its reader disconnects', async () => {
    const closed = Promise.withResolvers<void>();
    const leaving = new AbortController();
    const endless = await upstream(async (response) => {
      response.once('close', () => closed.resolve());
      response.write(anthropic.opening());
      while (!response.destroyed) {
        if (!response.write(anthropic.text('more '))) await Promise.race([once(response, 'drain'), closed.promise]);
      }
    });
    const { batches } = await dispatch([attemptAt(endless)], inTurn({ signal: leaving.signal }), ESTIMATED_TOKENS);
    await batches.next();

    leaving.abort();
    await batches.return();

    await closed.promise;
  });
});

const recording = (record: FailoverOptions['health']['record']) => ({ record, publish: async () => {} });

describe('the effect of an attempt on the health of its endpoint', () => {
  const resultsOf = async (fails: (response: ServerResponse) => void, more: Partial<FailoverOptions> = {}) => {
    const results: unknown[] = [];
    const attempts = [attemptAt(await upstream(fails)), attemptAt(await upstream(soundly('anthropic')))];
    for (const [index, { candidate }] of attempts.entries()) {
      attempts[index]!.candidate = { ...candidate, endpoint: { ...candidate.endpoint, id: String(index) } };
    }
    const health = recording((endpointId, result) => results.push([Number(endpointId), result]));
    await answered(attempts, { ...more, health }).catch(() => undefined);
    return results;
  };

  it.each([
    ['an answer', soundly('anthropic'), [[0, 'ok']]],
    [
      'a failure, and the next one’s answer',
      refuses(529, 'Busy'),
      [
        [0, 'failed'],
        [1, 'ok'],
      ],
    ],
    [
      'a limit of requests, which makes it unavailable to the gateway',
      refuses(429, 'Slow down'),
      [
        [0, 'failed'],
        [1, 'ok'],
      ],
    ],
    ['nothing, when the request is at fault', refuses(400, 'No such field'), []],
    ['nothing, when the body is too large', refuses(413, 'Too large'), []],
  ])('is %s', async (_what, fails, results) => {
    expect(await resultsOf(fails)).toEqual(results);
  });

  it('is none if the client has disconnected', async () => {
    const leaving = new AbortController();
    const leaves = (response: ServerResponse) => {
      leaving.abort();
      response.destroy();
    };
    expect(await resultsOf(leaves, { signal: leaving.signal })).toEqual([]);
  });

  it('is a failure if a silent model may have been thinking', async () => {
    const silent = await upstream((response) => response.writeHead(200).flushHeaders());
    const results: unknown[] = [];
    const attempt = attemptAt(silent, { timeouts: { idle_ms: 30 }, hasHiddenReasoning: true });
    await answered([attempt], { health: recording((_, result) => results.push(result)) }).catch(() => undefined);
    expect(results).toEqual(['failed']);
  });
});

describe('the log line of a failed attempt', () => {
  it('has the status of the provider, the kind of the failure and the id of the request', async () => {
    const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      await answered([attemptAt(await upstream(refuses(401, 'no')))]).catch(() => {});
      const line = lines.mock.calls.map(([text]) => String(text)).find((text) => text.includes('first event'));
      expect(JSON.parse(line!)).toMatchObject({
        message: 'provider failed before its first event',
        requestId: 'req_test',
        status: 502,
        providerStatus: 401,
        kind: 'provider_unavailable',
      });
    } finally {
      lines.mockRestore();
    }
  });
});
