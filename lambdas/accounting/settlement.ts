import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord, type Hold } from '../store/generations/generation.ts';
import { isTagKind } from '../store/counters/tag-scopes.ts';
import { outcomeRecord, type Outcome } from '../store/generations/outcome.ts';
import { payerRecord, type Payer } from '../store/accounts/payer.ts';

/**
 * One finished generation that must be settled. It has ids, names, tags, counts, times and amounts, but no text of
 * prompts or answers.
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
  /** JSON of the fields of the outcome, the hold and the payer that the previous release does not know. */
  added?: string | undefined;
}

/**
 * Encodes a message of the settlement queue, version 2. The previous release rejects a body with unknown fields. New
 * fields of the outcome, the hold and the payer are therefore sent outside the body, where the previous release ignores
 * them. While both releases run, and after a rollback, the previous release settles without these fields.
 * @throws {TypeError} if `readSettlement` could not read the message, so that the sender gets the error instead of the
 *   dead-letter queue
 */
export function encodeSettlement(settlement: Settlement): EncodedSettlement {
  const { generationId, payer, hold, outcome } = settlement;
  if (generationTimeMs(generationId) === undefined) throw new TypeError(`not a generation id: ${generationId}`);
  const sentPayer = divided(payerRecord.toMessage(payer), payerRecord.unreleasedNames);
  const sentHold = divided(holdRecord.toMessage(hold), holdRecord.unreleasedNames);
  // The previous release does not know the scopes of tags, and rejects their kinds. The body therefore omits them.
  const releasedScopes = hold.scopes.filter((kind) => !isTagKind(kind));
  const allScopes = releasedScopes.length < hold.scopes.length ? { scopes: hold.scopes } : {};
  const sentOutcome = divided(outcomeRecord.toMessage(outcome), outcomeRecord.unreleasedNames);
  const body = JSON.stringify({
    v: 2,
    generation_id: generationId,
    payer: sentPayer.known,
    hold: { ...sentHold.known, scopes: releasedScopes },
    outcome: sentOutcome.known,
  });
  return { body, added: JSON.stringify({ ...sentOutcome.added, ...sentHold.added, ...sentPayer.added, ...allScopes }) };
}

/** Divides the fields of a message into fields that the previous release knows, and fields that were added since. */
function divided(message: Record<string, unknown>, unreleased: ReadonlySet<string>) {
  const known: Record<string, unknown> = {};
  const added: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) (unreleased.has(name) ? added : known)[name] = value;
  return { known, added };
}
