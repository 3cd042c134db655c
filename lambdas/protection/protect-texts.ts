/** Protects the texts of a request. This file also runs in another thread. */

import { once } from '../platform/concurrency/once.ts';
import type { SensitiveData } from '../store/accounts/sensitive-data.ts';
import { findSensitive } from './find/find.ts';
import { Placeholders, withoutPlaceholders, type PlaceholderState } from './placeholders.ts';
import { MAX_VALUES, TextRefusal } from './refusals.ts';
import { Replacement } from './replacement.ts';
import type { RequestText, TextChanges } from './request-texts.ts';
import { scan, type Scanned } from './scan.ts';

export interface ProtectionJob {
  /** Texts in the order of the conversation. */
  texts: RequestText[];
  settings: SensitiveData;
}

export interface ProtectedTexts {
  changes: TextChanges;
  placeholders: PlaceholderState;
}

export interface RefusedText extends Pick<TextRefusal, 'reason' | 'category'> {
  index: number;
}

/** Replaces the data that a key protects in a list of texts. */
export function protectTexts({ texts, settings }: ProtectionJob): ProtectedTexts | { refused: RefusedText } {
  let index = 0;
  /** Sets `index` to each item's index while `work` runs, for changes and for the error about a refused text. */
  const each = <Item, Result>(items: readonly Item[], work: (item: Item) => Result): Result[] =>
    items.map((item, place) => {
      index = place;
      return work(item);
    });
  try {
    const scanned = each(texts, (text) => scan(text, settings));
    const placeholders = new Placeholders();
    keepClear(placeholders, scanned, settings);
    each(scanned, (one) => addValues(placeholders, one));
    const changes = new Map<number, string | undefined>();
    const hasNothing = scanned.every(({ findings }) => findings.length === 0);
    if (hasNothing && settings.dictionary.length === 0) return { changes, placeholders: placeholders.state };
    const replacement = new Replacement(placeholders, settings.dictionary);
    each(scanned, (one) => {
      const sent = replacement.of(one);
      if (sent !== one.text) changes.set(index, sent);
    });
    return { changes, placeholders: placeholders.state };
  } catch (error) {
    if (!(error instanceof TextRefusal)) throw error;
    return { refused: { index, reason: error.reason, category: error.category } };
  }
}

/**
 * Reserves placeholders that already occur, if values are restored in answers. If values are not restored, a
 * placeholder usually comes from an earlier answer, and still stands for the same value.
 */
function keepClear(placeholders: Placeholders, scanned: Scanned[], { restore, dictionary }: SensitiveData): void {
  if (!restore) return;
  for (const { text } of scanned) placeholders.keepClearOf(text);
  for (const { substitute } of dictionary) placeholders.keepClearOf(substitute);
}

/**
 * Gives the values of a text their placeholders. Call this in the order of the conversation.
 * @throws {TextRefusal} if there are too many values
 */
function addValues(placeholders: Placeholders, scanned: Scanned): void {
  scanned.knownBefore = placeholders.count;
  // The model itself wrote values that occur only in signed thinking, and a new placeholder would invalidate the
  // signature.
  if (scanned.kind === 'signed') return;
  for (const { category, start, end } of scanned.findings) placeholders.add(category, scanned.text.slice(start, end));
  if (placeholders.count > MAX_VALUES) throw new TextRefusal('too_many');
}

/**
 * Returns a function that protects a text of a third party; it returns undefined for a blocked text. Text that looks
 * like a placeholder is changed, so that no value of the client replaces it.
 */
export function protectorOf(
  placeholders: Placeholders,
  { action, categories, dictionary }: SensitiveData,
): (text: string) => string | undefined {
  const replacement = once(() => new Replacement(placeholders, dictionary));
  return (written) => {
    const text = withoutPlaceholders(written);
    const findings = findSensitive(text, new Set(categories));
    if (findings.length > 0 && action === 'block') return undefined;
    for (const { category, start, end } of findings) placeholders.add(category, text.slice(start, end));
    return replacement().in(text, findings);
  };
}
