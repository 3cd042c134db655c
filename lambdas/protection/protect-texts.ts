/** The texts of a request as providers may see them: the whole work of protection, which any thread can do. */

import type { SensitiveData } from '../store/accounts/sensitive-data.ts';
import { Placeholders, type PlaceholderState } from './placeholders.ts';
import { MAX_VALUES, TextRefusal } from './refusals.ts';
import { Replacement } from './replacement.ts';
import type { RequestText, TextChanges } from './request-texts.ts';
import { scan, type Scanned } from './scan.ts';

export interface ProtectionJob {
  /** In the order of the conversation. */
  texts: RequestText[];
  settings: SensitiveData;
}

export interface ProtectedTexts {
  changes: TextChanges;
  placeholders: PlaceholderState;
}

/** Why a text must not be sent, and its place in the list. */
export interface RefusedText extends Pick<TextRefusal, 'reason' | 'category'> {
  index: number;
}

/** Takes out of texts what a key wants kept from providers. */
export function protectTexts({ texts, settings }: ProtectionJob): ProtectedTexts | { refused: RefusedText } {
  let index = 0;
  /** A refusal is about the text that is being worked on, so its place is kept. */
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

/** Without restoring, what looks like a placeholder came from an earlier answer, and means the same value still. */
function keepClear(placeholders: Placeholders, scanned: Scanned[], { restore, dictionary }: SensitiveData): void {
  if (!restore) return;
  for (const { text } of scanned) placeholders.keepClearOf(text);
  for (const { substitute } of dictionary) placeholders.keepClearOf(substitute);
}

/** A placeholder for every value, numbered as they stand in the conversation. @throws {TextRefusal} for too many */
function addValues(placeholders: Placeholders, scanned: Scanned): void {
  scanned.knownBefore = placeholders.count;
  // A value that only signed thinking has was never replaced: no placeholder would make it what was signed.
  if (scanned.kind === 'signed') return;
  for (const { category, start, end } of scanned.findings) placeholders.add(category, scanned.text.slice(start, end));
  if (placeholders.count > MAX_VALUES) throw new TextRefusal('too_many');
}
