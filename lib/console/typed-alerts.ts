import type { ShownAlerts } from './answers.ts';
import { isWrongAmount, typedMoney } from './exact-numbers.ts';

export interface TypedAlerts {
  thresholds: string;
  webhook_url: string;
  format: ShownAlerts['format'];
  chat_id: string;
  email: string;
  low_balance_rub: string;
}

export function typedFromAlerts(settings: ShownAlerts): TypedAlerts {
  return {
    thresholds: settings.thresholds.join(', '),
    webhook_url: settings.webhook_url ?? '',
    format: settings.format,
    chat_id: settings.chat_id ?? '',
    email: settings.email ?? '',
    low_balance_rub: settings.low_balance_rub === null ? '' : String(settings.low_balance_rub),
  };
}

/**
 * Converts the typed settings.
 * @param stored settings whose percentage for the low balance is kept if no amount was typed: the form does not show
 *   the percentage
 * @returns undefined if the low balance is not a valid amount
 */
export function alertsBodyOf(typed: TypedAlerts, stored: ShownAlerts) {
  if (isWrongAmount(typed.low_balance_rub)) return undefined;
  const amount = typedMoney(typed.low_balance_rub);
  const isTelegram = typed.format === 'telegram';
  return {
    thresholds: typed.thresholds.split(/[\s,]+/).flatMap((text) => (text === '' ? [] : Number(text))),
    webhook_url: typed.webhook_url.trim() || null,
    format: typed.format,
    chat_id: isTelegram ? typed.chat_id.trim() || null : null,
    email: typed.email.trim() || null,
    ...(amount === undefined ? { low_balance_percent: stored.low_balance_percent } : { low_balance_rub: amount }),
  };
}

/**
 * Returns whether two versions of the settings have the same values in the fields that the typed settings replace. A
 * typed low balance also replaces the percentage.
 */
export function isSameForForm(typed: TypedAlerts, before: ShownAlerts, now: ShownAlerts): boolean {
  const [first, second] = [before, now].map((settings) => JSON.stringify(typedFromAlerts(settings)));
  const keepsPercent = typed.low_balance_rub.trim() === '';
  return first === second && (keepsPercent || before.low_balance_percent === now.low_balance_percent);
}
