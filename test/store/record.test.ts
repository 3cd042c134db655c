import { describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { holdRecord } from '../../lambdas/store/generations/generation.ts';
import { emptyOutcome, outcomeRecord } from '../../lambdas/store/generations/outcome.ts';
import { payerRecord } from '../../lambdas/store/accounts/payer.ts';
import {
  count,
  expiry,
  flag,
  instant,
  money,
  named,
  nested,
  oneOf,
  optional,
  orNull,
  part,
  record,
  text,
} from '../../lambdas/store/table/record.ts';

const inner = record({ street: text('street'), number: count('house_number') });
const codec = record({
  name: text('name'),
  balance: money('balance_rub'),
  active: flag('is_active'),
  kind: oneOf('kind', ['a', 'b']),
  note: optional(text('note')),
  visits: orNull(count('visits')),
  seenAtMs: instant('seen_at'),
  goneAtMs: expiry('gone_at_seconds'),
  home: nested('home', inner),
  work: part(record({ city: text('work_city') })),
});
const ann = {
  name: 'Ann',
  balance: Money.parse('0.000000000001'),
  active: true,
  kind: 'b' as const,
  note: undefined,
  visits: null,
  seenAtMs: Date.UTC(2026, 10, 21, 12, 0, 0, 7),
  goneAtMs: 1_000,
  home: { street: 'Lenina', number: 5 },
  work: { city: 'Omsk' },
};

/** Returns an item as it is read: the table returns numbers as text. */
const asRead = (item: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );

describe('the fields of a record', () => {
  it('are read from its item as they were written', () => {
    const item = codec.toItem(ann);

    expect(codec.from(asRead({ ...item, balance_rub: '1E-12' }))).toEqual(ann);
  });

  it('store nothing for absent or unknown values', () => {
    expect(Object.keys(codec.toItem(ann))).not.toContain('note');
    expect(Object.keys(codec.toItem(ann))).not.toContain('visits');
  });

  it('store times as text, and parts as their own attributes', () => {
    expect(codec.toItem(ann)).toMatchObject({
      seen_at: '2026-11-21T12:00:00.007Z',
      gone_at_seconds: 1,
      home: { street: 'Lenina', house_number: 5 },
      work_city: 'Omsk',
    });
  });

  it('have the names of their attributes, and the kind of each', () => {
    expect(codec.attributes.map(({ name, form }) => `${name} ${form}`)).toEqual([
      'name text',
      'balance_rub money',
      'is_active flag',
      'kind text',
      'note text',
      'visits count',
      'seen_at time',
      'gone_at_seconds count',
      'home document',
      'work_city text',
    ]);
  });

  it('are zero in an empty item if absence means that', () => {
    const numbers = record({ balance: money('balance_rub'), visits: count('visits'), active: flag('active') });

    expect(numbers.from({})).toEqual({ balance: Money.zero, visits: 0, active: false });
  });
});

describe('the fields of a message', () => {
  const outcome = { ...emptyOutcome({ model: 'm', modelPermaslug: 'm-1', endpointId: 'e', providerName: 'P' }) };
  const pricing = { prompt: Money.parse('0.000001'), completion: Money.parse('0.000002') };

  it.each([
    ['an outcome', outcomeRecord, { ...outcome, cost: Money.parse('1.5'), ending: 'complete' as const, pricing }],
    ['a payer', payerRecord, { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash: 'k' }],
    [
      'a hold',
      holdRecord,
      {
        amount: Money.parse('2'),
        steps: 3,
        scopes: ['key' as const],
        serviceHolds: [{ model: 'm:free', part: 7, amount: Money.parse('0.5') }],
        rateHolds: [{ kind: 'running' as const, part: 2, tokens: 0 }],
      },
    ],
  ])('restore %s', (_, { toMessage, messageSchema }, value) => {
    const sent: unknown = JSON.parse(JSON.stringify((toMessage as (of: unknown) => unknown)(value)));

    expect(messageSchema().parse(sent)).toEqual(value);
  });

  it('may have their own names', () => {
    const renamed = record({ amount: named('amount_rub', money('hold_rub')) });

    expect(renamed.toMessage({ amount: Money.parse('2') })).toEqual({ amount_rub: '2' });
  });

  it.each([
    ['an invalid amount', { amount_rub: 'much', steps: 1, scopes: [] }],
    ['a negative count', { amount_rub: '1', steps: -1, scopes: [] }],
    ['an unknown scope', { amount_rub: '1', steps: 1, scopes: ['planet'] }],
  ])('are refused with %s', (_, message) => {
    expect(holdRecord.messageSchema().safeParse(message).success).toBe(false);
  });

  it('of a later release are read without unknown fields', () => {
    const message = { amount_rub: '1', steps: 1, scopes: [], tip: 1 };

    expect(holdRecord.messageSchema().parse(message)).not.toHaveProperty('tip');
  });
});
