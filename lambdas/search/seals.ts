/**
 * Encrypts the text of a source, and the source of a citation, which the client keeps for later turns. The encryption
 * is authenticated, so nobody can forge them without the key. Only the account that made the search can use them.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { seal, sealingKey, unseal } from '../platform/secrets/sealing.ts';

/** Prefix of a seal (encrypted text), followed by the id of the key. A seal with another key counts as altered. */
const PREFIX = 'gws1.';
const KEY_ID_CHARACTERS = 8;

const hit = z.strictObject({
  /** Query of the search. It is stored here, because some clients do not send it back. */
  query: z.string(),
  title: z.string(),
  url: z.string(),
  text: z.string(),
  age: z.string().nullable(),
});
export type SealedHit = z.infer<typeof hit>;

/** The id of the search call, and the index among its results. */
const citation = z.strictObject({ call: z.string(), result: z.int().nonnegative() });
type SealedCitation = z.infer<typeof citation>;

/** `foreign`: another service made it, for example the provider of an earlier turn. */
type OpenedSeal<Value> = { value: Value } | 'foreign' | 'altered';

export interface Seals {
  sealHit(value: SealedHit): string;
  openHit(sealed: unknown): OpenedSeal<SealedHit>;
  sealCitation(value: SealedCitation): string;
  openCitation(sealed: unknown): OpenedSeal<SealedCitation>;
}

/**
 * Returns the functions that encrypt and decrypt for an account.
 * @param secret secret of the deployment
 * @param accountId account that makes the searches
 */
export function sealsOf(secret: string, accountId: string): Seals {
  const key = sealingKey(secret, 'web search', 'sources');
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS);
  const prefix = `${PREFIX}${keyId}.`;
  const sealed = (value: object) => prefix + seal(JSON.stringify(value), key, accountId).toString('base64url');
  const opened = <Value>(text: unknown, schema: z.ZodType<Value>): OpenedSeal<Value> => {
    if (typeof text !== 'string' || !text.startsWith(PREFIX)) return 'foreign';
    if (!text.startsWith(prefix)) return 'altered';
    try {
      const value = schema.parse(
        JSON.parse(unseal(Buffer.from(text.slice(prefix.length), 'base64url'), key, accountId)),
      );
      return { value };
    } catch {
      return 'altered';
    }
  };
  return {
    sealHit: sealed,
    openHit: (text) => opened(text, hit),
    sealCitation: sealed,
    openCitation: (text) => opened(text, citation),
  };
}
