import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { Money } from '../../money/money.ts';
import type { QueueSender } from '../../platform/queues/queue.ts';
import { payerRecord, type Payer } from '../accounts/payer.ts';
import type { ScopeKind } from '../counters/counters.ts';

/** Message that makes the worker compare the spending of a payer with its limits. */
export interface AlertCheck {
  /** Ids that the scope `only` does not need may be empty. */
  payer: Payer;
  /** UTC day in whose windows (day, week, month) the payer has spent. */
  date: string;
  /** Kind of the only scope to compare, after a change of its limits; undefined compares all scopes of the payer. */
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

/** Time in ms for which the request that causes a check waits for the queue. */
const SEND_WITHIN_MS = 1_000;

/**
 * Sends the message of a check. A slow queue delays the caller by at most a second: SQS may still store the message
 * later.
 * @throws {Error} if the queue fails, or has not stored the message within a second
 */
export async function sendAlertCheck(queue: QueueSender, check: AlertCheck): Promise<void> {
  const late = sleep(SEND_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error('The queue has not stored the message within a second');
  });
  await Promise.race([queue.send(encodeAlertCheck(check)), late]);
}

/**
 * Parses a queue message.
 * @throws {Error} if the text is not a message of a known version
 */
export function decodeAlertCheck(text: string): AlertCheck {
  return alertCheck().parse(JSON.parse(text));
}
