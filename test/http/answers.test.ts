import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { KeyAnswer, KeyBody } from '../../lambdas/api/keys/shape.ts';
import { keyView } from '../../lambdas/api/keys/view.ts';
import type { HealthAnswer } from '../../lambdas/api/service/shape.ts';
import { answerOnce } from '../../lambdas/http/answer-once.ts';
import { compressed } from '../../lambdas/http/compressed.ts';
import { defineEndpoint } from '../../lambdas/http/define-endpoint.ts';
import { definePublicEndpoint } from '../../lambdas/http/define-public-endpoint.ts';
import { maskSecret, newKeySecret } from '../../lambdas/admission/credentials.ts';
import { errorResponse, jsonResponse } from '../../lambdas/http/response.ts';
import { Money } from '../../lambdas/money/money.ts';
import { invalidRequest } from '../../lambdas/platform/errors.ts';

/** The compiler checks these tests: an `@ts-expect-error` comment without a type error is an error. */
describe('the type of an answer', () => {
  it('accepts the documented fields', () => {
    expect(jsonResponse<HealthAnswer>(200, { status: 'ok' }).body).toBe('{"status":"ok"}');
  });

  it('rejects an answer without a named shape', () => {
    // @ts-expect-error -- nothing fits an answer without a shape
    jsonResponse(200, { status: 'ok' });
  });

  it('rejects an answer with a missing, misspelled, additional or wrong field', () => {
    // @ts-expect-error -- missing
    jsonResponse<HealthAnswer>(200, {});
    // @ts-expect-error -- misspelt
    jsonResponse<HealthAnswer>(200, { statsu: 'ok' });
    // @ts-expect-error -- one too many
    jsonResponse<HealthAnswer>(200, { status: 'ok', since: 0 });
    // @ts-expect-error -- another value
    jsonResponse<HealthAnswer>(200, { status: 'fine' });
  });

  it('rejects a view with a missing or misspelled field', () => {
    const { name, ...nameless } = {} as ReturnType<typeof keyView>;
    // @ts-expect-error -- missing
    const missing: KeyBody = nameless;
    // @ts-expect-error -- misspelt
    const misspelt: KeyBody = { ...nameless, nmae: name };
    // @ts-expect-error -- a list in the place of one key
    const answer: KeyAnswer = { data: [missing, misspelt] };
    expect(answer).toBeDefined();
  });

  it('requires Money for an amount, not a number', () => {
    const exact: KeyBody['usage'] = Money.parse('0.1');
    // @ts-expect-error -- a float
    const rounded: KeyBody['usage'] = 0.1;
    expect([exact.toString(), rounded]).toEqual(['0.1', 0.1]);
  });
});

describe('an error', () => {
  it.each(['inference', 'management'] as const)('repeats no %s key that was sent as a name', (kind) => {
    const key = newKeySecret(kind);

    const { body } = errorResponse(invalidRequest(`x/${key}`, `There is no key "${key}".`), 'req_1');

    expect(body).not.toContain(key);
    expect(body).toContain(`x/${maskSecret(key)}: There is no key \\"${maskSecret(key)}\\".`);
  });
});

describe('an endpoint', () => {
  it('is public only if the manifest declares it', () => {
    // @ts-expect-error -- it takes a key
    expect(definePublicEndpoint('get-key', {}, () => jsonResponse<HealthAnswer>(200, ok))).toBeDefined();
  });

  it('with a key does not answer if its handler does not authenticate callers', async () => {
    const handler = definePublicEndpoint('list-members' as 'health', {}, () => jsonResponse<HealthAnswer>(200, ok));
    const request = { httpMethod: 'GET', path: '/x', headers: {}, requestContext: { requestId: 'r', identity: {} } };

    const answer = await handler(request as never, { getRemainingTimeInMillis: () => 1_000 } as never);

    expect(answer.statusCode).toBe(500);
  });

  it('has compression only if it streams, because API Gateway takes no bytes otherwise', () => {
    expect(() =>
      definePublicEndpoint('health', { compress: compressed }, () => jsonResponse<HealthAnswer>(200, ok)),
    ).toThrow('health has compression, but does not stream');
  });

  it('has no compression at a function URL, because it would delay the events of an answer', () => {
    expect(() =>
      defineEndpoint('create-message', { compress: compressed }, () => jsonResponse<HealthAnswer>(200, ok)),
    ).toThrow('create-message has compression, which would delay its events');
  });

  it('answers an Idempotency-Key once only if it declares that', () => {
    defineEndpoint('create-key', { once: answerOnce }, ({ once }) =>
      once(async () => jsonResponse<HealthAnswer>(200, ok)),
    );
    // @ts-expect-error -- there is no `once`
    defineEndpoint('create-key', {}, ({ once }) => once(async () => jsonResponse<HealthAnswer>(200, ok)));
    expect(ok.status).toBe('ok');
  });
});

describe('a function', () => {
  it('does not end before the work that its answer does not wait for', async () => {
    let isOver = false;
    const handler = definePublicEndpoint('health', {}, ({ waitUntil }) => {
      waitUntil(sleep(30).then(() => void (isOver = true)));
      return jsonResponse<HealthAnswer>(200, ok);
    });
    const request = {
      httpMethod: 'GET',
      path: '/health',
      headers: {},
      requestContext: { requestId: 'r', identity: {} },
    };

    await handler(request as never, { getRemainingTimeInMillis: () => 1_000 } as never);

    expect(isOver).toBe(true);
  });
});

const ok: HealthAnswer = { status: 'ok' };
