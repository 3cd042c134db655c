/** Texts of requests that are no messages. */

import { refusalAt } from './refusals.ts';
import { searchedTexts, type Protection } from './sensitive-data.ts';

/** A text that a provider reads, and the field that the client wrote it in. */
export interface NamedText {
  field: string;
  text: string;
}

/**
 * The texts as providers may see them, in their order.
 * @throws {GatewayError} 400 naming category and field, never the value; 529 if others kept the search busy; 504 if it takes too long
 */
export async function protectNamedTexts(texts: readonly NamedText[], protection: Protection): Promise<string[]> {
  if (!protection.settings.enabled || texts.length === 0) return texts.map(({ text }) => text);
  const searched = texts.map(({ text }) => ({ text, kind: 'text' as const, name: undefined }));
  const found = await searchedTexts(searched, protection);
  if ('refused' in found) throw refusalAt(texts[found.refused.index]!.field, found.refused);
  return texts.map(({ text }, index) => found.changes.get(index) ?? text);
}
