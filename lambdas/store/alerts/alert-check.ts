import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { Money } from '../../money/money.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import { payerRecord, type Payer } from '../accounts/payer.ts';
import type { ScopeKind } from '../counters/counters.ts';

export interface AlertCheck {
  /** Payer whose scopes are checked. Ids that the scope `only` does not need may be empty. */
  payer: Payer;
  /** UTC day in whose windows (day, week, month) the payer has spent. */
  date: string;
  /** Kind of the only scope to compare; undefined for all scopes of the payer. */
  only?: ScopeKind | undefined;
  /** Amount of a hold that a limit of the payer has just refused. */
  refused?: Money | undefined;
}

const alertCheck = () =>
  z
    .object({
      v: z.literal(1),
      payer: payerRecord.messageSchema(),
      date: z.iso.date(),
      only: z.string().optional(),
      refused: z.string().optional(),
    })
    .transform(({ payer, date, only, refused }): AlertCheck => {
      return { payer, date, only: only as ScopeKind | undefined, refused: refused ? Money.parse(refused) : undefined };
    });

export function encodeAlertCheck({ payer, date, only, refused }: AlertCheck): string {
  return JSON.stringify({ v: 1, payer: payerRecord.toMessage(payer), date, only, refused: refused?.toString() });
}

const SEND_WITHIN_MS = 1_000;

/**
 * Sends a check. After an error, SQS may still store and deliver the check.
 * @throws {Error} if the queue fails, or has not stored the message within a second
 */
export async function sendAlertCheck(queue: QueueSender, check: AlertCheck): Promise<void> {
  const late = sleep(SEND_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error('The queue has not stored the message within a second');
  });
  await Promise.race([queue.send(encodeAlertCheck(check)), late]);
}

/** @throws {Error} if the text is not a message of a known version */
export function decodeAlertCheck(text: string): AlertCheck {
  return alertCheck().parse(JSON.parse(text));
}
