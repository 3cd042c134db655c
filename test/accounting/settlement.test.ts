import { describe, expect, it } from 'vitest';
import { readSettlement } from '../../lambdas/accounting/read-settlement.ts';
import { encodeSettlement, type EncodedSettlement, type Settlement } from '../../lambdas/accounting/settlement.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import { outcome, rub } from '../support/spending.ts';

const settlement = (more: Partial<Settlement> = {}): Settlement => ({
  generationId: newGenerationId(),
  payer: { accountId: 'a', workspaceId: 'w', memberId: 'm', keyHash: 'k' },
  hold: { amount: rub('2.000000000001'), steps: 3, scopes: ['key', 'account'], serviceHolds: [], rateHolds: [] },
  outcome: outcome(rub('0.3')),
  ...more,
});

function changed(change: (message: Record<string, unknown>) => unknown): EncodedSettlement {
  const { body, added } = encodeSettlement(settlement());
  const message = JSON.parse(body) as Record<string, unknown>;
  change(message);
  return { body: JSON.stringify(message), added };
}

describe('a settlement message', () => {
  it('is read exactly as it was sent', () => {
    const sent = settlement();

    expect(readSettlement(encodeSettlement(sent))).toEqual(sent);
  });

  it('has the counts of its key outside the body, where the last release ignores them', () => {
    const { hold } = settlement();
    const sent = settlement({ hold: { ...hold, rateHolds: [{ kind: 'minute', part: 3, tokens: 900 }] } });
    const encoded = encodeSettlement(sent);

    expect(readSettlement(encoded)).toEqual(sent);
    expect(JSON.parse(encoded.body)).toMatchObject({ hold: { steps: 3 } });
    expect(encoded.body).not.toContain('rate_holds');
  });

  it('may have no member', () => {
    const sent = settlement({ payer: { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash: 'k' } });

    expect(readSettlement(encodeSettlement(sent))).toEqual(sent);
  });

  it('of the first version is read with the current names of its amounts', () => {
    const old = changed((message) => {
      message['v'] = 1;
      const { total_cost_rub, ...rest } = message['outcome'] as Record<string, unknown>;
      message['outcome'] = { ...rest, cost_rub: total_cost_rub, cache_discount_rub: '0.25' };
    });

    const { outcome: read } = readSettlement(old);

    expect([read.cost, read.cacheSaved].map(String)).toEqual(['0.3', '0.25']);
  });

  it('is not sent if it would be unreadable, and its sender gets the error', () => {
    expect(() => encodeSettlement(settlement({ generationId: 'gen-none' }))).toThrow('not a generation id');
  });

  /** Fields of an outcome without its prices, which were checked when the catalog was loaded. */
  const measured = Object.keys(settlement().outcome).filter((field) => field !== 'pricing');

  it.each(measured)('with an invalid %s is sent only if it is read as it was sent', (field) => {
    const nonsense = [Number.NaN, -1, 0.5, 2 ** 60, Infinity, null, undefined, 'x', true, [], {}, [{}]];

    for (const value of nonsense) {
      const broken = settlement({ outcome: { ...outcome(rub('0.3')), [field]: value } });
      let text: EncodedSettlement;
      try {
        text = encodeSettlement(broken);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        continue;
      }
      expect(readSettlement(text), `${field}: ${JSON.stringify(value)}`).toEqual(broken);
    }
  });

  it.each<[string, (message: Record<string, unknown>) => unknown]>([
    ['a version of tomorrow', (message) => (message['v'] = 3)],
    ['an id without a time', (message) => (message['generation_id'] = 'gen-1')],
    ['an amount that is a float', (message) => Object.assign(message['hold'] as object, { amount_rub: 0.1 })],
    ['an amount that is not a number', (message) => Object.assign(message['hold'] as object, { amount_rub: 'x' })],
    ['an unknown scope', (message) => Object.assign(message['hold'] as object, { scopes: ['city'] })],
    ['steps below zero', (message) => Object.assign(message['hold'] as object, { steps: -1 })],
    ['no payer', (message) => delete message['payer']],
  ])('is not read with %s', (_what, change) => {
    expect(() => readSettlement(changed(change))).toThrow();
  });

  it('is not read if it is not JSON', () => {
    expect(() => readSettlement({ body: 'no settlement' })).toThrow(SyntaxError);
  });

  it('of a later release is read without its unknown fields', () => {
    const sent = settlement();
    const { body, added } = encodeSettlement(sent);
    const { outcome: fields, ...rest } = JSON.parse(body) as Record<string, object>;
    const later = JSON.stringify({ ...rest, region: 'eu', outcome: { ...fields, carbon_grams: 3 } });

    expect(readSettlement({ body: later, added })).toEqual(sent);
  });

  it('of an earlier release is read without the fields that it does not have', () => {
    const sent = settlement({ outcome: { ...outcome(rub('0.3')), overheadMs: 7 } });
    const { body } = encodeSettlement(sent);

    expect(readSettlement({ body })).toEqual({ ...sent, outcome: { ...sent.outcome, overheadMs: null } });
  });
});
