import { describe, expect, it } from 'vitest';
import { withoutBillingLine } from '../../lambdas/messages/billing-line.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';

const LINE = 'x-anthropic-billing-header: cc_version=2.1.330.03d; cch=a1b2c;';
const asking = (system: MessagesRequest['system']): MessagesRequest => ({
  model: 'm',
  messages: [],
  ...(system ? { system } : {}),
});
const block = (text: string) => ({ type: 'text', text });

describe('the billing line of an agent', () => {
  it.each([
    ['a block of its own', [block(LINE), block('Be short.')], [block('Be short.')]],
    ['a block with more in it', [block(`${LINE}\nBe short.`)], [block('Be short.')]],
    ['the first line of a text', `${LINE}\nBe short.`, 'Be short.'],
    ['all there is', [block(LINE)], undefined],
    ['the whole text', LINE, undefined],
  ])('is removed if it is %s', (_, system, left) => {
    expect(withoutBillingLine(asking(system)).system).toEqual(left);
  });

  it.each([[[block('Be short.'), block(LINE)]], ['Say x-anthropic-billing-header: a'], [undefined], [[]]])(
    'is not found elsewhere (%j)',
    (system) => {
      const request = asking(system);
      expect(withoutBillingLine(request)).toBe(request);
    },
  );
});
