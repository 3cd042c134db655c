/** Protects the texts of requests that are not conversations, such as embeddings. */

import { protectedTexts, type Protection } from './sensitive-data.ts';

export interface NamedText {
  field: string;
  text: string;
}

/**
 * Returns the texts in the same order, as providers may get them.
 * @throws {GatewayError} 400 with the field, never the value, if the key names nothing to protect, or a text must not
 *   be sent; 529 if other searches kept the thread busy; 504 if the search takes too long or fails; 408 if the client
 *   has disconnected; the errors of `beforeSearch`
 */
export async function protectNamedTexts(texts: readonly NamedText[], protection: Protection): Promise<string[]> {
  if (!protection.settings.enabled || texts.length === 0) return texts.map(({ text }) => text);
  const { changes } = await protectedTexts(
    { texts: texts.map(({ text }) => ({ text, kind: 'text' })), fieldOf: (index) => texts[index]!.field },
    protection,
  );
  return texts.map(({ text }, index) => changes.get(index) ?? text);
}
