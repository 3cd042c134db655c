import { generationTimeMs } from '../platform/ids.ts';
import { holdRecord, type Hold } from '../store/generations/generation.ts';
import { isTagKind } from '../store/counters/tag-scopes.ts';
import { outcomeRecord, type Outcome } from '../store/generations/outcome.ts';
import { payerRecord, type Payer } from '../store/accounts/payer.ts';

/** One finished generation. It has no text of prompts or answers. */
export interface Settlement {
  generationId: string;
  payer: Payer;
  hold: Hold;
  outcome: Outcome;
}

export interface EncodedSettlement {
  body: string;
  /** JSON of the fields of the outcome, the hold and the payer that the previous release does not know. */
  added?: string | undefined;
}

/**
 * Encodes a message of the settlement queue. The previous release rejects a body with unknown fields, so new fields are
 * sent outside the body. The previous release settles without them.
 * @throws {TypeError} if `readSettlement` could not read the message
 */
export function encodeSettlement(settlement: Settlement): EncodedSettlement {
  const { generationId, payer, hold, outcome } = settlement;
  if (generationTimeMs(generationId) === undefined) throw new TypeError(`not a generation id: ${generationId}`);
  const sentPayer = divided(payerRecord.toMessage(payer), payerRecord.unreleasedNames);
  const sentHold = divided(holdRecord.toMessage(hold), holdRecord.unreleasedNames);
  // The body omits the scopes of tags, because the previous release rejects their kinds.
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

/** Separates fields that the previous release does not know. */
function divided(message: Record<string, unknown>, unreleased: ReadonlySet<string>) {
  const known: Record<string, unknown> = {};
  const added: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) (unreleased.has(name) ? added : known)[name] = value;
  return { known, added };
}
