/** Texts of requests that are no messages. */

import { protectedTexts, type Protection } from './sensitive-data.ts';

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
  const { changes } = await protectedTexts(
    { texts: texts.map(({ text }) => ({ text, kind: 'text' })), fieldOf: (index) => texts[index]!.field },
    protection,
  );
  return texts.map(({ text }, index) => changes.get(index) ?? text);
}
