import * as z from 'zod';
import { countShape, dataShape, rub, time } from '../../http/shapes.ts';
import { alertFormats, alertOwnerKinds } from '../../store/alerts/alert-settings.ts';
import { deliveryChannels, deliveryStates } from '../../store/alerts/deliveries.ts';

const alertsShape = z.strictObject({
  set_on: z.enum(alertOwnerKinds).nullable().meta({
    description:
      'Where the settings come from: the key or the workspace itself, or the nearest one above it that has settings. Null if none has any.',
  }),
  thresholds: z.array(z.int()).meta({ description: 'The parts of each limit, in percent, at which a notice is sent.' }),
  webhook_url: z
    .string()
    .nullable()
    .meta({ description: 'The URL to which notices are posted. The secret in a URL of Slack or Telegram is masked.' }),
  format: z.enum(alertFormats).meta({ description: 'The form of the posted JSON.' }),
  chat_id: z.string().nullable().meta({ description: 'The id of the Telegram chat.' }),
  email: z.string().nullable().meta({ description: 'The address to which notices are sent.' }),
  low_balance_rub: rub.nullable().meta({ description: 'The balance that counts as low, in RUB; only of an account.' }),
  low_balance_percent: z.int().nullable().meta({
    description: 'The balance that counts as low, in percent of the last payment; only of an account.',
  }),
});
export type AlertsView = z.output<typeof alertsShape>;

export const alertsAnswer = dataShape(alertsShape);
export type AlertsAnswer = z.output<typeof alertsAnswer>;

const deliveryShape = z.strictObject({
  id: z.string().meta({ description: 'The id of the delivery. The header `webhook-id` has `msg_` in front of it.' }),
  type: z.string().meta({ description: 'The kind of the event, such as `alert.limit.threshold`.' }),
  channel: z.enum(deliveryChannels).meta({ description: 'The way by which the notice is sent.' }),
  set_on: z.enum(alertOwnerKinds).meta({ description: 'The owner whose settings have the destination.' }),
  owner_id: z.string().meta({ description: 'The id of this account or workspace, or the hash of this key.' }),
  text: z.string().meta({ description: 'The text of the notice, for people.' }),
  state: z.enum(deliveryStates).meta({
    description:
      'The state of the notice. `delivered`: the receiver has accepted it. `pending`: it is tried again. `refused`: the receiver does not want it. `dead`: all attempts of a day failed.',
  }),
  attempts: countShape.meta({ description: 'The number of attempts that have begun.' }),
  reason: z.string().nullable().meta({ description: 'The result of the last attempt.' }),
  created_at: time.meta({ description: 'The time of the event.' }),
  next_attempt_at: time.nullable().meta({ description: 'The time of the next attempt.' }),
  delivered_at: time.nullable().meta({ description: 'The time at which the receiver accepted the notice.' }),
});
export type DeliveryView = z.output<typeof deliveryShape>;

export const deliveryListAnswer = dataShape(z.array(deliveryShape));
export type DeliveryListAnswer = z.output<typeof deliveryListAnswer>;
