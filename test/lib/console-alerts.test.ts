import { describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import type { ShownAlerts } from '../../lib/console/answers.ts';
import { alertsBodyOf, isSameForForm, typedFromAlerts } from '../../lib/console/typed-alerts.ts';

const stored: ShownAlerts = {
  set_on: 'account',
  thresholds: [80, 100],
  webhook_url: 'https://hooks.example/a',
  format: 'standard',
  chat_id: null,
  email: null,
  low_balance_rub: 500,
  low_balance_percent: null,
};

describe('the form of alerts', () => {
  it.each(['abc', '-5', '1 000 RUB'])('has no body while the low balance is "%s"', (low_balance_rub) => {
    expect(alertsBodyOf({ ...typedFromAlerts(stored), low_balance_rub }, stored)).toBeUndefined();
  });

  it('sends the low balance as an amount, and removes it if the field is empty', () => {
    const typed = typedFromAlerts(stored);

    expect(alertsBodyOf(typed, stored)).toMatchObject({ low_balance_rub: Money.parse('500') });
    expect(alertsBodyOf({ ...typed, low_balance_rub: ' ' }, stored)).toMatchObject({ low_balance_percent: null });
  });

  it("keeps another person's percentage, and reports a conflict if a typed amount would replace it", () => {
    const before: ShownAlerts = { ...stored, low_balance_rub: null, low_balance_percent: 10 };
    const now: ShownAlerts = { ...before, low_balance_percent: 30 };
    const typed = { ...typedFromAlerts(before), email: 'team@example.com' };

    expect(isSameForForm(typed, before, now)).toBe(true);
    expect(alertsBodyOf(typed, now)).toMatchObject({ email: 'team@example.com', low_balance_percent: 30 });
    expect(isSameForForm({ ...typed, low_balance_rub: '100' }, before, now)).toBe(false);
    expect(isSameForForm(typed, before, { ...now, email: 'other@example.com' })).toBe(false);
  });
});
