import { afterAll, describe, expect, it } from 'vitest';
import { pricesAt, pricesInTime } from '../../lambdas/catalog/price-periods.ts';
import { Money } from '../../lambdas/money/money.ts';

const zoneBefore = process.env['TZ'];
afterAll(() => {
  if (zoneBefore === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zoneBefore;
});

const price = (text: string) => ({ prompt: Money.parse(text), completion: Money.zero });

describe('prices with dates', () => {
  it.each(['America/New_York', 'Asia/Kamchatka', 'Europe/Berlin'])(
    'do not depend on the time zone of the process, or on summer time (%s)',
    (zone) => {
      process.env['TZ'] = zone;
      // Clocks in Berlin go forward at this moment.
      const data = { ...price('1'), periods: [{ valid_from: '2027-03-28T01:00:00Z', prompt: Money.parse('3') }] };
      const timed = { periods: pricesInTime(data, undefined), pricing: undefined, serviceCost: undefined };
      const at = (atMs: number) => pricesAt(timed, atMs).pricing!.prompt.toString();
      const atMs = Date.UTC(2027, 2, 28, 1);
      expect([at(atMs - 1), at(atMs)]).toEqual(['1', '3']);
    },
  );
});
