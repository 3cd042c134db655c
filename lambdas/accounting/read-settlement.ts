import * as z from 'zod';
import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord } from '../store/generations/generation.ts';
import { outcomeRecord, type Outcome } from '../store/generations/outcome.ts';
import { payerRecord } from '../store/accounts/payer.ts';
import type { EncodedSettlement, Settlement } from './settlement.ts';

const outcomeSchema = outcomeRecord.messageSchema();

const head = {
  /** The time in the id determines the keys of the generation's record and of sums. */
  generation_id: z.string().refine((id) => generationTimeMs(id) !== undefined, 'not a generation id'),
  payer: payerRecord.messageSchema(),
  hold: holdRecord.messageSchema(),
};

/** Schema of a message of the settlement queue. Version 1 has other names for the amounts. */
const settlementMessage = z.discriminatedUnion('v', [
  z.object({ v: z.literal(2), ...head, outcome: outcomeSchema }),
  z.object({
    v: z.literal(1),
    ...head,
    outcome: z
      .looseObject({ cost_rub: z.string(), cache_discount_rub: z.string() })
      .transform(({ cost_rub, cache_discount_rub, ...outcome }) => ({
        ...outcome,
        total_cost_rub: cost_rub,
        cache_discount_rub,
      }))
      .pipe(outcomeSchema as z.ZodType<Outcome, { total_cost_rub: string; cache_discount_rub: string }>),
  }),
]);

/**
 * Reads a settlement message of this release, the previous or the next one.
 *
 * Guarantee: an unknown field is ignored, so that functions of two releases can run concurrently. A field that changes
 * the charge needs another version, which is refused.
 * @throws {Error} for any other message
 */
export function readSettlement({ body, added }: EncodedSettlement): Settlement {
  const message = JSON.parse(body) as { payer?: object; hold?: object; outcome?: object };
  // Each schema ignores the added fields that belong to the other schemas.
  const more = added === undefined ? {} : addedTo(added);
  const completed = (part: object | undefined) => ({ ...part, ...more });
  const whole = {
    ...message,
    payer: completed(message.payer),
    hold: completed(message.hold),
    outcome: completed(message.outcome),
  };
  const { generation_id: generationId, payer, hold, outcome } = settlementMessage.parse(whole);
  return { generationId, payer, hold, outcome };
}

function addedTo(added: string): object {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(added));
}
