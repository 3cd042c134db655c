import { describe, expect, it } from 'vitest';
import { chargeFor, isCancelled, type Charge } from '../../lambdas/accounting/ending.ts';
import { endings, type Ending } from '../../lambdas/store/generations/outcome.ts';

type Row = [
  Ending,
  { wasSent?: boolean; hasOutput?: boolean; isDelivered?: boolean; isFreeRefusal?: boolean; isStopped?: boolean },
  Charge,
  boolean,
];

const rows: Row[] = [
  ['complete', { hasOutput: true }, 'usage', false],
  ['complete', { hasOutput: false }, 'usage', false],
  ['complete', { hasOutput: false, isFreeRefusal: true }, 'nothing', false],
  ['out_of_money', { hasOutput: true }, 'usage and hidden', false],
  ['refused_before', { wasSent: false }, 'nothing', false],
  ['refused_before', { wasSent: true }, 'nothing', false],
  ['broke_off', { hasOutput: false }, 'nothing', false],
  ['broke_off', { hasOutput: true }, 'usage', true],
  ['broke_off', { hasOutput: true, isDelivered: false }, 'reported', true],
  ['client_left', { wasSent: false }, 'nothing', true],
  ['client_left', { wasSent: true }, 'usage and hidden', true],
  ['client_left', { hasOutput: true }, 'usage and hidden', true],
  ['out_of_time', { wasSent: false }, 'nothing', true],
  ['out_of_time', { wasSent: true }, 'usage and hidden', true],
  ['out_of_time', { hasOutput: true }, 'usage and hidden', true],
  ['out_of_time', { hasOutput: true, isStopped: true }, 'usage and hidden', true],
  ['out_of_time', { hasOutput: true, isStopped: true, isDelivered: false }, 'reported', true],
  ['out_of_time', { hasOutput: false, isStopped: true, isDelivered: false }, 'nothing', true],
];

describe('the charge for an ending', () => {
  it.each(rows)('for %s with %o is %s', (ending, facts, charge, cancelled) => {
    const usual = { wasSent: true, hasOutput: false, isDelivered: true, isFreeRefusal: false, isStopped: false };
    const ended = { ending, ...usual, ...facts };
    expect([chargeFor(ended), isCancelled(ended)]).toEqual([charge, cancelled]);
  });

  it('is defined for every ending', () => {
    expect(new Set(rows.map(([ending]) => ending))).toEqual(new Set(endings));
  });
});
