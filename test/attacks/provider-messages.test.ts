import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wires, type WireName } from '../support/dialects.ts';
import { get } from '../support/gateway.ts';
import { CREDENTIAL } from '../support/hostile-catalog.ts';
import { entriesIn } from '../support/long-runs.ts';
import { expectBrokenOff, startHostileGateway, type Attack, type HostileGateway } from '../support/hostile-gateway.ts';
import type { Behavior } from '../support/hostile-upstream.ts';

/**
 * Error messages of a provider, which clients get, must not contain the operator's credential or the provider's
 * address.
 */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const attack = (wire: WireName, behavior: Behavior, more: Partial<Attack> = {}) =>
  hostile.attack({ wire, behavior, ...more });

/** Returns an error message that contains the credential and the provider's address in common spellings. */
const tellTale = () =>
  JSON.stringify(
    `The model is sad. Key ${CREDENTIAL}, or ${CREDENTIAL.split(':').join(' and ')}, x-api-key: ${CREDENTIAL}; authorization "Bearer ${CREDENTIAL}" at ${hostile.upstream.url}/v1/messages?key=${CREDENTIAL} (${new URL(hostile.upstream.url).host})`,
  );
const json = { 'content-type': 'application/json' };

const WORDS = 'Twelve bytes';
const errorTypes: [string, number][] = [
  ['invalid_request_error', 400],
  ['authentication_error', 502],
  ['permission_error', 502],
  ['billing_error', 502],
  ['not_found_error', 502],
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
  ['api_error', 502],
  ['novel_error', 502],
];
/** Messages about the operator's account must not reach clients. */
const OPERATORS = new Set(['authentication_error', 'permission_error', 'billing_error']);

/**
 * Each wire reads error messages itself. The meaning of a status is the same for all wires, so one wire is enough for
 * it.
 */
describe('an error of a provider', () => {
  it.concurrent.each([400, 413, 422, 429, 500, 503, 504, 529, 599])(
    'with status %i is passed on with its message, without its secrets',
    async (status) => {
      const { error } = await attack('anthropic', ({ respond, dialect }) =>
        respond(`${status} No`, json, dialect.refusal('api_error', tellTale())),
      );
      expect(error!.message).toContain('The model is sad.');
      expect(error!.metadata).toMatchObject({ provider_status: status });
    },
  );

  it.concurrent.each([401, 402, 403, 404])('with status %i is passed on without its message', async (status) => {
    const { status: told, error } = await attack('anthropic', ({ respond, dialect }) =>
      respond(`${status} No`, json, dialect.refusal('authentication_error', tellTale())),
    );
    expect(told).toBe(502);
    expect(error!.message).not.toContain('sad');
  });

  it.concurrent('has no secrets in its retry headers', async () => {
    const { headers } = await attack('anthropic', ({ respond, dialect }) =>
      respond('429 Slow', { ...json, 'retry-after': CREDENTIAL }, dialect.refusal('rate_limit_error', '"Slow down."')),
    );
    expect(headers.get('retry-after')).toBeNull();
  });

  it.concurrent("has the provider's retry time", async () => {
    const { status, headers } = await attack('anthropic', ({ respond, dialect }) =>
      respond('429 Slow', { ...json, 'retry-after': '7' }, dialect.refusal('rate_limit_error', '"Slow down."')),
    );
    expect([status, headers.get('retry-after')]).toEqual([429, '7']);
  });
});

describe.each(wires)('an error of a provider over %s', (wire) => {
  it.concurrent('is passed on with its message, without its secrets', async () => {
    const { error } = await attack(wire, ({ respond, dialect }) =>
      respond('400 No', json, dialect.refusal('api_error', tellTale())),
    );
    expect(error!.message).toContain('The model is sad.');
    expect(error!.metadata).toMatchObject({ provider_status: 400 });
  });

  it.concurrent.each(entriesIn(errorTypes, { ofWhichAlways: 4 }))(
    'in the first event, %s, is reported as %i',
    async (type, expected) => {
      const { status, error, cost } = await attack(wire, async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.event(dialect.refusal(type, tellTale())));
        await finish();
      });
      expect([status, cost.toString()]).toEqual([expected, '0']);
      if (type !== 'not_found_error') expect(error!.message.includes('sad')).toBe(!OPERATORS.has(type));
    },
  );

  it.concurrent.each(['authentication_error', 'overloaded_error', 'api_error'])(
    'in the middle of an answer, %s, has no secrets',
    async (type) => {
      const behavior: Behavior = async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening() + dialect.text(WORDS) + dialect.event(dialect.refusal(type, tellTale())));
        await finish();
      };
      const streamed = await attack(wire, behavior, { stream: true });
      expect([streamed.status, streamed.text]).toEqual([200, WORDS]);
      expect(streamed.error).toBeDefined();
      expectBrokenOff(await attack(wire, behavior), wire);
    },
  );

  it.concurrent('with a long message is cut', async () => {
    const long = JSON.stringify(`The model is sad. ${'So sad. '.repeat(6_000)}`);
    const refused = await attack(wire, ({ respond, dialect }) =>
      respond('400 No', json, dialect.refusal('invalid_request_error', long)),
    );
    expect(refused.error!.message).toContain('The model is sad.');
    expect(refused.body.length).toBeLessThan(10_000);
    const inStream = await attack(
      wire,
      async ({ begin, send, dialect }) => {
        await begin();
        await send(dialect.opening() + dialect.event(dialect.refusal('api_error', long)));
      },
      { stream: true },
    );
    expect(inStream.error!.message).toContain('The model is sad.');
    expect(inStream.body.length).toBeLessThan(10_000);
  });

  it.concurrent.each(entriesIn(['{"a":1}', '["a"]', '5', 'null', 'true', '""'], { ofWhichAlways: 3 }))(
    'with a message that is %s gets a message of the gateway',
    async (message) => {
      for (const status of ['400 No', '500 No']) {
        const { error } = await attack(wire, ({ respond, dialect }) =>
          respond(status, json, dialect.refusal('api_error', message)),
        );
        expect(error!.message.length).toBeGreaterThan(10);
        expect(error!.message).not.toContain('undefined');
      }
    },
  );

  const noRefusals = ['', 'null', '[]', '5', '{"error":', '<h1>Bad gateway</h1>', '{"error":[]}', '\u0000'];
  it.concurrent.each(entriesIn(noRefusals, { ofWhichAlways: 4 }))(
    'with the body %j gets a message of the gateway',
    async (body) => {
      const { status, error } = await attack(wire, ({ respond }) => respond('500 No', json, body));
      expect(status).toBe(502);
      expect(error!.message.length).toBeGreaterThan(10);
    },
  );
});

const refusing: Behavior = ({ respond, dialect }) =>
  respond('200 OK', json, dialect.refusal('overloaded_error', tellTale()));

describe.each(wires)('JSON instead of a stream over %s', (wire) => {
  it.concurrent('is an answer if it has the form of an answer', async () => {
    const behavior: Behavior = ({ respond, dialect }) => respond('200 OK', json, dialect.whole(WORDS));
    const whole = await attack(wire, behavior);
    expect([whole.status, whole.text, whole.stopReason]).toEqual([200, WORDS, 'end_turn']);
    // The cost is 10 × 0.0001 + 5 × 0.01.
    expect(whole.cost.toString()).toBe('0.051');
    const streamed = await attack(wire, behavior, { stream: true });
    expect([streamed.text, streamed.stopReason, streamed.cost.toString()]).toEqual([WORDS, 'end_turn', '0.051']);
  });

  it.concurrent('is an error with its own message if it has the form of an error', async () => {
    const { status, error, cost } = await attack(wire, refusing);
    expect([status, cost.toString()]).toEqual([529, '0']);
    expect(error!.message).toContain('The model is sad.');
    const next = await attack(wire, refusing, { fallback: true });
    expect([next.status, next.text]).toEqual([200, 'All is well.']);
  });

  const noAnswers = ['null', '{}', '[]', '{"choices":[]}', '{"choices":[{}]}', '{"type":"message"}', '"ok"', '{'];
  it.concurrent.each(entriesIn(noAnswers, { ofWhichAlways: 4 }))('is a failure if it is %s', async (body) => {
    const behavior: Behavior = ({ respond }) => respond('200 OK', json, body);
    const { status, cost } = await attack(wire, behavior);
    expect([status, cost.toString()]).toEqual([502, '0']);
    expect((await attack(wire, behavior, { fallback: true })).text).toBe('All is well.');
  });
});

const count = async (behavior: Behavior) => {
  const marker = hostile.upstream.behaves(behavior);
  const { gateway } = hostile;
  const response = await fetch(`${gateway.baseUrl}/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'evil/claude', messages: [{ role: 'user', content: marker }] }),
    signal: AbortSignal.timeout(10_000),
  });
  const body = await response.text();
  hostile.expectDiscreet(`${JSON.stringify([...response.headers])}${body}`);
  return {
    status: response.status,
    body: JSON.parse(body) as { input_tokens?: unknown; error?: { message: string } },
  };
};

describe('a token count of a provider', () => {
  it.concurrent.each([
    'null',
    '{}',
    '[]',
    '{',
    '<h1>Hi</h1>',
    '{"input_tokens":"7"}',
    '{"input_tokens":-5}',
    '{"input_tokens":1e400}',
    '{"input_tokens":10.5}',
  ])('that is %s is never a fault of the gateway', async (answer) => {
    const { status, body } = await count(({ respond }) => respond('200 OK', json, answer));
    expect([200, 502]).toContain(status);
    if (status !== 200) return;
    expect(Number.isSafeInteger(body.input_tokens) && (body.input_tokens as number) >= 0).toBe(true);
  });

  it.concurrent.each(['400 No', '401 No', '500 No'])('that is refused with %s has no secrets', async (status) => {
    const refused = await count(({ respond, dialect }) =>
      respond(status, json, dialect.refusal('api_error', tellTale())),
    );
    expect(refused.status).toBe(status.startsWith('400') ? 400 : 502);
  });

  it.concurrent('that never arrives is abandoned', async () => {
    const { status } = await count(({ closed }) => closed);
    expect([200, 504]).toContain(status);
  });
});

it('provider messages leave the gateway and other clients unharmed', async () => {
  expect((await get(hostile.gateway, '/health')).status).toBe(200);
  await hostile.expectUnharmed();
});
