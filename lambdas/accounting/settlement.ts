import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord, type Hold } from '../store/generations/generation.ts';
import { outcomeRecord, type Outcome } from '../store/generations/outcome.ts';
import { payerRecord, type Payer } from '../store/accounts/payer.ts';

/**
 * One finished generation that must be settled. It has only ids, counts, times and amounts: no text of prompts or
 * answers.
 */
export interface Settlement {
  generationId: string;
  payer: Payer;
  hold: Hold;
  outcome: Outcome;
}

/** A settlement encoded as a message of the settlement queue. */
export interface EncodedSettlement {
  body: string;
  /** JSON of the outcome's fields that the previous release does not know. */
  added?: string | undefined;
}

/**
 * Encodes a message of the settlement queue, version 2. The previous release rejects a body with unknown fields. So new
 * fields of the outcome are sent outside the body, where the previous release ignores them. While both releases run,
 * and after a rollback, the previous release settles without these fields.
 * @throws {TypeError} if `readSettlement` could not read the message, so that the sender gets the error instead of the
 *   dead-letter queue
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
