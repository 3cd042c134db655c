import { z } from 'zod';
import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord, type Hold } from '../store/generation.ts';
import { outcomeRecord, type Outcome } from '../store/outcome.ts';
import { payerRecord, type Payer } from '../store/payer.ts';

/** One generation on its way into the books. Ids, counts, times and amounts only: no text of prompts or answers. */
export interface Settlement {
  generationId: string;
  payer: Payer;
  hold: Hold;
  outcome: Outcome;
}

const outcomeSchema = outcomeRecord.messageSchema();

const head = {
  /** Its time is where its record and its windows are: what has none could never be settled. */
  generation_id: z.string().refine((id) => generationTimeMs(id) !== undefined, 'not a generation id'),
  payer: payerRecord.messageSchema(),
  hold: holdRecord.messageSchema(),
};

/** The body of a message in the finalize queue. Version 1, which gateways of before may still have sent, named the amounts differently. */
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

/** @throws {Error} for what `decodeSettlement` would not read: the sender learns of it, not the dead-letter queue. */
export function encodeSettlement(settlement: Settlement): string {
  const { generationId, payer, hold, outcome } = settlement;
  const text = JSON.stringify({
    v: 2,
    generation_id: generationId,
    payer: payerRecord.toMessage(payer),
    hold: holdRecord.toMessage(hold),
    outcome: outcomeRecord.toMessage(outcome),
  });
  decodeSettlement(text);
  return text;
}

/** @throws {Error} when the text is no settlement of a version we know. */
export function decodeSettlement(text: string): Settlement {
  const { generation_id: generationId, payer, hold, outcome } = settlementMessage.parse(JSON.parse(text));
  return { generationId, payer, hold, outcome };
}
