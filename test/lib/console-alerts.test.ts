import { describe, expect, it } from 'vitest';
import type { ShownAlerts } from '../../lib/console/answers.ts';
import { alertsBodyOf, typedFromAlerts } from '../../lib/console/typed-alerts.ts';

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

    expect(String(alertsBodyOf(typed, stored)?.low_balance_rub)).toBe('500');
    expect(alertsBodyOf({ ...typed, low_balance_rub: ' ' }, stored)).toMatchObject({ low_balance_percent: null });
  });
});
