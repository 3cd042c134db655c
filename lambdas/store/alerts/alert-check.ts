import * as z from 'zod';
import { Money } from '../../money/money.ts';
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

/**
 * Parses a queue message.
 * @throws {Error} if the text is not a message of a known version
 */
export function decodeAlertCheck(text: string): AlertCheck {
  return alertCheck().parse(JSON.parse(text));
}
