import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord, type Hold } from '../store/generation.ts';
import { outcomeRecord, type Outcome } from '../store/outcome.ts';
import { payerRecord, type Payer } from '../store/payer.ts';

/** One finished generation that is to be settled. Ids, counts, times and amounts only: no text of prompts or answers. */
export interface Settlement {
  generationId: string;
  payer: Payer;
  hold: Hold;
  outcome: Outcome;
}

/**
 * Its message in the finalize queue, of version 2.
 * @throws {TypeError} for what `readSettlement` would not read: the sender gets the error, not the dead-letter queue.
 */
export function encodeSettlement(settlement: Settlement): string {
  const { generationId, payer, hold, outcome } = settlement;
  if (generationTimeMs(generationId) === undefined) throw new TypeError(`not a generation id: ${generationId}`);
  return JSON.stringify({
    v: 2,
    generation_id: generationId,
    payer: payerRecord.toMessage(payer),
    hold: holdRecord.toMessage(hold),
    outcome: outcomeRecord.toMessage(outcome),
  });
}
