import * as z from 'zod';
import { payerRecord, type Payer } from '../store/accounts/payer.ts';

/** Message that makes the worker compare the spending of a payer with its limits. */
export interface AlertCheck {
  payer: Payer;
  /** UTC day in whose windows (day, week, month) the payer has spent. */
  date: string;
}

const alertCheck = () =>
  z
    .object({ v: z.literal(1), payer: payerRecord.messageSchema(), date: z.iso.date() })
    .transform(({ payer, date }) => ({
      payer,
      date,
    }));

export function encodeAlertCheck({ payer, date }: AlertCheck): string {
  return JSON.stringify({ v: 1, payer: payerRecord.toMessage(payer), date });
}

/**
 * Parses a queue message.
 * @throws {Error} if the text is not a message of a known version
 */
export function decodeAlertCheck(text: string): AlertCheck {
  return alertCheck().parse(JSON.parse(text));
}
