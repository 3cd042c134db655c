/**
 * What a key wants kept from providers is taken out of its requests before anything is measured, held or sent. The provider
 * never sees it, so it cannot be in the provider's answers, errors or logs either.
 */

import type { MessagesRequest } from '../messages/types.ts';
import type { SensitiveData } from '../store/sensitive-data.ts';
import { findSensitive } from './find/find.ts';
import { Placeholders, withoutPlaceholders } from './placeholders.ts';
import { nothingNamed } from './refusals.ts';
import { Replacement } from './replacement.ts';
import { mapTexts } from './request-texts.ts';
import { scan, type Scanned } from './scan.ts';

export interface Protected {
  message: MessagesRequest;
  /** What stands behind the placeholders, for the answer; undefined where nothing is to be restored. */
  originals: ReadonlyMap<string, string> | undefined;
  /**
   * A text that joins the conversation while it is answered, as providers may see it; undefined where the key blocks what
   * is found in it.
   */
  protectMore: (text: string) => string | undefined;
}

/**
 * The request as providers may see it.
 * @param options.mayGrow more text may come: `originals` gets what is found in it, and is there from the beginning
 * @throws {GatewayError} 400 naming category and field, never the value: where the key blocks such requests, and where a
 *   value stands in a place that cannot be changed
 */
export function protect(message: MessagesRequest, settings: SensitiveData, { mayGrow = false } = {}): Protected {
  const { enabled, action, categories, dictionary, restore } = settings;
  if (!enabled) return { message, originals: undefined, protectMore: (text) => text };
  if (categories.length === 0 && dictionary.length === 0) throw nothingNamed();
  const scanned = scan(message, settings);
  const placeholders = placeholdersFor(scanned, settings);
  const replacement = new Replacement(placeholders, dictionary);
  const mayHaveAny = placeholders.count > 0 || (mayGrow && action === 'replace');
  return {
    message: replaced(message, scanned, replacement, settings),
    originals: restore && mayHaveAny ? placeholders.originals : undefined,
    protectMore: (text) => protectedText(text, placeholders, replacement, settings),
  };
}

/** A prompt that stands alone, as providers may see it. @throws {GatewayError} 400, as `protect` does */
export function protectPrompt(prompt: string, settings: SensitiveData): string {
  return protect({ model: '', messages: [], prompt }, settings).message['prompt'] as string;
}

function replaced(
  message: MessagesRequest,
  scanned: Scanned[],
  replacement: Replacement,
  { dictionary }: SensitiveData,
): MessagesRequest {
  const hasNothing = scanned.every(({ findings }) => findings.length === 0);
  if (hasNothing && dictionary.length === 0) return message;
  let next = 0;
  return mapTexts(message, (_, place) => replacement.of(scanned[next++]!, place));
}

/** Nothing in a text of others becomes a value of the client: what looks like a placeholder there is made to look different. */
function protectedText(
  written: string,
  placeholders: Placeholders,
  replacement: Replacement,
  { action, categories }: SensitiveData,
): string | undefined {
  const text = withoutPlaceholders(written);
  const findings = findSensitive(text, new Set(categories));
  if (findings.length > 0 && action === 'block') return undefined;
  for (const { category, start, end } of findings) placeholders.add(category, text.slice(start, end));
  return replacement.in(text, findings);
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
