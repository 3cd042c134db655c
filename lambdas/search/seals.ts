/**
 * What the client keeps of a search for the next turn: the text of a source, and which source a citation names. It is
 * sealed, so that nobody can put words into a source's mouth, and only for the account that made the search.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { seal, sealingKey, unseal } from '../platform/secrets/sealing.ts';

/** Before the id of the key, which tells a seal of another deployment, or of an earlier secret, from one that was altered. */
const PREFIX = 'gws1.';
const KEY_ID_CHARACTERS = 8;

const hit = z.strictObject({
  /** What was searched for: some clients do not send it back. */
  query: z.string(),
  title: z.string(),
  url: z.string(),
  text: z.string(),
  age: z.string().nullable(),
});
export type SealedHit = z.infer<typeof hit>;

/** The place of a source: which of the results of which call. */
const citation = z.strictObject({ call: z.string(), result: z.int().nonnegative() });
type SealedCitation = z.infer<typeof citation>;

/** `foreign`: not sealed here, for example by a provider in an earlier turn. */
type OpenedSeal<Value> = { value: Value } | 'foreign' | 'altered';

export interface Seals {
  sealHit(value: SealedHit): string;
  openHit(sealed: unknown): OpenedSeal<SealedHit>;
  sealCitation(value: SealedCitation): string;
  openCitation(sealed: unknown): OpenedSeal<SealedCitation>;
}

/** @param secret the deployment's; @param accountId whose searches they are */
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
