import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ExhaustedLimits } from '../../lambdas/admission/exhausted-limits.ts';
import { decodeAlertCheck } from '../../lambdas/store/alerts/alert-check.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import type { Refusal } from '../../lambdas/store/generations/refusals.ts';
import { rub } from '../support/spending.ts';
import { isEndedWithin } from '../support/in-time.ts';

const payer = { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash: 'k' };
const atMs = Date.parse('2026-11-27T10:00:00Z');

function refusalOf(
  amounts: { spent?: string; required?: string; limit?: string },
  more: Partial<Refusal> = {},
): Refusal {
  return {
    id: newGenerationId(),
    payer,
    createdAtMs: atMs,
    route: 'create-message',
    status: 402,
    kind: 'payment_required',
    field: undefined,
    limit: 'key_limit',
    amounts: {
      interval: 'daily',
      limit: rub(amounts.limit ?? '10'),
      spent: rub(amounts.spent ?? '9'),
      held: rub('1'),
      left: Money.zero,
      required: rub(amounts.required ?? '2'),
    },
    model: 'm',
    ...more,
  };
}

function reports({ failing = async () => {} }: { failing?: () => Promise<void> } = {}) {
  const clock = { ms: atMs };
  const sent: string[] = [];
  const queue = {
    send: async (body: string) => {
      await failing();
      sent.push(body);
    },
  };
  return {
    clock,
    sent,
    limits: new ExhaustedLimits(
      () => queue,
      () => clock.ms,
    ),
  };
}

it('a limit that refuses requests in a loop is reported once a minute', async () => {
  const { clock, sent, limits } = reports();

  for (let turn = 0; turn < 100; turn += 1) await limits.report(refusalOf({}));
  expect(sent.map(decodeAlertCheck)).toEqual([{ payer, date: '2026-11-27', only: undefined, refused: rub('2') }]);

  await limits.report(refusalOf({}, { limit: 'workspace_budget' }));
  expect(sent).toHaveLength(2);
  clock.ms += 60_000;
  await limits.report(refusalOf({}));
  expect(sent).toHaveLength(3);
});

it.each([
  ['on the next day', refusalOf({}, { createdAtMs: atMs + DAY_MS })],
  ['after the limit was changed', refusalOf({ limit: '9.5' })],
])('a limit is reported again %s, even within a minute', async (_, later) => {
  const { sent, limits } = reports();
  await limits.report(refusalOf({}));

  await limits.report(later);

  expect(sent).toHaveLength(2);
});

it('a balance without room for a request is reported, even if the request needs most of all payments', async () => {
  const { sent, limits } = reports();
  const balance = { limit: 'account_balance' };

  await limits.report(refusalOf({ spent: '3', required: '7' }, balance));
  expect(sent).toEqual([]);
  await limits.report(refusalOf({ spent: '3', required: '8' }, balance));

  expect(sent.map(decodeAlertCheck)).toMatchObject([{ refused: rub('8') }]);
});

it.each([
  ['only other requests hold the money', refusalOf({ spent: '8' })],
  ['the request needs more than half of the limit', refusalOf({ required: '5.01' })],
  ['the reason is not a limit in roubles', refusalOf({}, { amounts: undefined })],
])('a refusal is not reported if %s', async (_, refusal) => {
  const { sent, limits } = reports();

  await limits.report(refusal);

  expect(sent).toEqual([]);
});

it('a report that could not be sent is sent at a refusal five seconds later', async () => {
  let isDown = true;
  const failing = async () => {
    if (isDown) throw new Error('The queue is down');
  };
  const { clock, sent, limits } = reports({ failing });
  await expect(limits.report(refusalOf({}))).rejects.toThrow('The queue is down');
  isDown = false;

  await limits.report(refusalOf({}));
  expect(sent).toEqual([]);
  clock.ms += 5_000;
  await limits.report(refusalOf({}));

  expect(sent).toHaveLength(1);
});

it('a report waits for a slow queue for a second at most', async () => {
  const { limits } = reports({ failing: () => sleep(3_000, undefined, { ref: false }) });
  const reporting = limits.report(refusalOf({}));

  expect(await isEndedWithin(2_000, reporting)).toBe(true);
  await expect(reporting).rejects.toThrow('within a second');
});
