import * as z from 'zod';
import { amount } from '../../http/fields.ts';
import type { AlertsInput } from '../../management/alerts.ts';
import { alertFormats } from '../../store/alerts/alert-settings.ts';

const MAX_THRESHOLDS = 10;
const PERCENT = 'must be a whole number from 1 to 100';

const percentField = z.int(PERCENT).min(1, PERCENT).max(100, PERCENT);

const alertFields = {
  thresholds: z
    .array(percentField)
    .max(MAX_THRESHOLDS, `must have at most ${MAX_THRESHOLDS} entries`)
    .nullish()
    .meta({
      description:
        'The parts of each limit, in percent, at which a notice is sent; 100 means exhausted. Without it, 50, 80, 95 and 100. An empty list turns notices about limits off.',
      example: [50, 80, 95, 100],
    }),
  webhook_url: z
    .string()
    .min(1, 'must be a URL, or null')
    .max(2_000, 'must have at most 2000 characters')
    .nullish()
    .meta({
      description:
        'The URL to which notices are posted, on the public internet. Notices are signed as Standard Webhooks describes. A masked URL from a response keeps the stored URL.',
      example: 'https://example.com/alerts',
    }),
  format: z
    .enum(alertFormats, { error: `must be one of ${alertFormats.join(', ')}` })
    .nullish()
    .meta({
      description: 'The form of the posted JSON; without it, `standard`.',
      example: 'standard',
    }),
  chat_id: z.string().min(1).max(100).nullish().meta({
    description: 'The id of the Telegram chat, for the format `telegram`.',
    example: '-1001234567890',
  }),
  email: z.email('must be an e-mail address').max(254).nullish().meta({
    description: 'The address to which notices are sent, after its owner has confirmed it.',
    example: 'team@example.com',
  }),
};

/** Alert settings of a workspace or a key. */
export const alertsBody = z.strictObject(alertFields);

/** Alert settings of an account. They may also define a low balance. */
export const accountAlertsBody = z.strictObject({
  ...alertFields,
  low_balance_rub: amount.nullish().meta({
    description: 'The balance of a prepaid account, in RUB, that counts as low.',
    example: 500,
  }),
  low_balance_percent: percentField.nullish().meta({
    description: 'The same in percent of the last payment; without both fields, 20.',
    example: 20,
  }),
});

export const alertAmounts = ['low_balance_rub'];

/** Returns the settings that a body requests. */
export function alertsInput(
  body: z.output<typeof alertsBody> & Partial<z.output<typeof accountAlertsBody>>,
): AlertsInput {
  return {
    thresholds: body.thresholds,
    webhookUrl: body.webhook_url,
    format: body.format,
    chatId: body.chat_id,
    email: body.email,
    lowBalance: body.low_balance_rub,
    lowBalancePercent: body.low_balance_percent,
  };
}
