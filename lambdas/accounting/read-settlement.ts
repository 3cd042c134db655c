import * as z from 'zod';
import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord } from '../store/generation.ts';
import { outcomeRecord, type Outcome } from '../store/outcome.ts';
import { payerRecord } from '../store/payer.ts';
import type { Settlement } from './settlement.ts';

const outcomeSchema = outcomeRecord.messageSchema();

const head = {
  /** Its time leads to its record and its windows: an id without a time could never be settled. */
  generation_id: z.string().refine((id) => generationTimeMs(id) !== undefined, 'not a generation id'),
  payer: payerRecord.messageSchema(),
  hold: holdRecord.messageSchema(),
};

/** A message of the finalize queue. Version 1, which an earlier gateway may have sent, named the amounts differently. */
const settlementMessage = z.discriminatedUnion('v', [
  z.strictObject({ v: z.literal(2), ...head, outcome: outcomeSchema }),
  z.strictObject({
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

/** @throws {Error} when the text is not a settlement of a version we know. */
export function readSettlement(text: string): Settlement {
  const { generation_id: generationId, payer, hold, outcome } = settlementMessage.parse(JSON.parse(text));
  return { generationId, payer, hold, outcome };
}
