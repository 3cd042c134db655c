import type { DeliveryTools } from '../alerts/deliver.ts';
import { nowMs } from '../platform/clock.ts';
import { once } from '../platform/concurrency/once.ts';
import { isOnOwnMachine } from '../platform/environment.ts';
import { openMails } from '../platform/mails.ts';
import { readPepper } from '../platform/secrets/secrets.ts';
import { resources } from '../resources.ts';

export const deliveryTools = once((): DeliveryTools => ({
  table: resources.table(),
  readPepper,
  mails: openMails(),
  nowMs,
  webhooks: { allowLoopback: isOnOwnMachine() },
}));
