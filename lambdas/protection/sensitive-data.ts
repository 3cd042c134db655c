/**
 * What a key wants kept from providers is taken out of its requests before anything is measured, held or sent. The provider
 * never sees it, so it cannot be in the provider's answers, errors or logs either.
 */

import type { MessagesRequest } from '../messages/types.ts';
import type { SensitiveData } from '../store/sensitive-data.ts';
import { Placeholders } from './placeholders.ts';
import { nothingNamed } from './refusals.ts';
import { Replacement } from './replacement.ts';
import { mapTexts } from './request-texts.ts';
import { scan, type Scanned } from './scan.ts';

export interface Protected {
  message: MessagesRequest;
  /** What stands behind the placeholders, for the answer; undefined where nothing is to be restored. */
  originals: ReadonlyMap<string, string> | undefined;
}

/**
 * The request as providers may see it.
 * @throws {GatewayError} 400 naming category and field, never the value: where the key blocks such requests, and where a
 *   value stands in a place that cannot be changed
 */
export function protect(message: MessagesRequest, settings: SensitiveData): Protected {
  const { enabled, categories, dictionary, restore } = settings;
  const unchanged = { message, originals: undefined };
  if (!enabled) return unchanged;
  if (categories.length === 0 && dictionary.length === 0) throw nothingNamed();
  const scanned = scan(message, settings);
  const placeholders = placeholdersFor(scanned, settings);
  const hasNothing = scanned.every(({ findings }) => findings.length === 0);
  if (hasNothing && dictionary.length === 0) return unchanged;
  const replacement = new Replacement(placeholders, dictionary);
  let next = 0;
  const mapped = mapTexts(message, (_, place) => replacement.of(scanned[next++]!, place));
  return { message: mapped, originals: restore && placeholders.count > 0 ? placeholders.originals : undefined };
}

/** A placeholder for every value, numbered as they stand in the conversation. */
function placeholdersFor(scanned: Scanned[], { restore, dictionary }: SensitiveData): Placeholders {
  const placeholders = new Placeholders();
  // Without restoring, what looks like a placeholder came from an earlier answer, and means the same value still.
  if (restore) {
    for (const { text } of scanned) placeholders.keepClearOf(text);
    for (const { substitute } of dictionary) placeholders.keepClearOf(substitute);
  }
  for (const each of scanned) {
    // A value that only signed thinking has was never replaced: no placeholder would make it what was signed.
    each.knownBefore = placeholders.count;
    if (each.kind === 'signed') continue;
    for (const { category, start, end } of each.findings) placeholders.add(category, each.text.slice(start, end));
  }
  return placeholders;
}
