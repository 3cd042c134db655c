import { expect, it } from 'vitest';
import { ExhaustedLimits } from '../../lambdas/admission/exhausted-limits.ts';
import { decodeAlertCheck } from '../../lambdas/store/alerts/alert-check.ts';
import { Money } from '../../lambdas/money/money.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import type { Refusal } from '../../lambdas/store/generations/refusals.ts';
import { rub } from '../support/spending.ts';

const payer = { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash: 'k' };
const atMs = Date.parse('2026-11-27T10:00:00Z');

function refusalOf(amounts: { spent?: string; required?: string }, more: Partial<Refusal> = {}): Refusal {
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
      limit: rub('10'),
      spent: rub(amounts.spent ?? '9'),
      held: rub('1'),
      left: Money.zero,
      required: rub(amounts.required ?? '2'),
    },
    model: 'm',
    ...more,
  };
}

/** Reports of a process, with the messages that it has sent. */
function reports({ failing = () => false }: { failing?: () => boolean } = {}) {
  const clock = { ms: atMs };
  const sent: string[] = [];
  const queue = {
    send: async (body: string) => {
      if (failing()) throw new Error('The queue is down');
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
  ['only other requests hold the money', refusalOf({ spent: '8' })],
  ['the request needs more than half of the limit', refusalOf({ required: '5.01' })],
  ['the reason is not a limit in roubles', refusalOf({}, { amounts: undefined })],
])('a refusal is not reported if %s', async (_, refusal) => {
  const { sent, limits } = reports();

  await limits.report(refusal);

  expect(sent).toEqual([]);
});

it('a report that could not be sent is sent at the next refusal', async () => {
  let isDown = true;
  const { sent, limits } = reports({ failing: () => isDown });
  await expect(limits.report(refusalOf({}))).rejects.toThrow('The queue is down');
  isDown = false;

  await limits.report(refusalOf({}));

  expect(sent).toHaveLength(1);
});
