import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord, type Hold } from '../store/generations/generation.ts';
import { outcomeRecord, type Outcome } from '../store/generations/outcome.ts';
import { payerRecord, type Payer } from '../store/accounts/payer.ts';

/** One finished generation that is to be settled. Ids, counts, times and amounts only: no text of prompts or answers. */
export interface Settlement {
  generationId: string;
  payer: Payer;
  hold: Hold;
  outcome: Outcome;
}

/** A settlement as the finalize queue carries it. */
export interface EncodedSettlement {
  body: string;
  /** Fields of the outcome that the last release does not know, as JSON. */
  added?: string | undefined;
}

/**
 * Its message in the finalize queue, of version 2. The last release takes a body as a whole or not at all, so fields of the outcome that it
 * does not know travel beside the body, where it does not look: while two releases run side by side, and on the way back, it settles
 * without them.
 * @throws {TypeError} for what `readSettlement` would not read: the sender gets the error, not the dead-letter queue.
 */
export function encodeSettlement(settlement: Settlement): EncodedSettlement {
  const { generationId, payer, hold, outcome } = settlement;
  if (generationTimeMs(generationId) === undefined) throw new TypeError(`not a generation id: ${generationId}`);
  const known: Record<string, unknown> = {};
  const added: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(outcomeRecord.toMessage(outcome))) {
    const part = outcomeRecord.unreleasedNames.has(name) ? added : known;
    part[name] = value;
  }
  const body = JSON.stringify({
    v: 2,
    generation_id: generationId,
    payer: payerRecord.toMessage(payer),
    hold: holdRecord.toMessage(hold),
    outcome: known,
  });
  return { body, added: JSON.stringify(added) };
}
