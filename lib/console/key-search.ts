/** Searches keys by name, label, member or tags, or by the secret key. */

import type { ShownKey } from './answers.ts';

type Searched = Pick<ShownKey, 'name' | 'label' | 'member_id' | 'tags'>;

export function fitsSearch(key: Searched, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return true;
  const tags = Object.entries(key.tags).map((tag) => tag.join('='));
  const texts = [key.name, key.label, key.member_id ?? '', ...tags];
  return texts.some((text) => text.toLowerCase().includes(wanted)) || isShownAs(wanted, key.label.toLowerCase());
}

/**
 * Returns whether a typed key, or its beginning, matches a label, which has the first and the last characters of a key.
 * The last characters are compared only if a complete key was typed.
 */
function isShownAs(wanted: string, label: string): boolean {
  const [first = '', last = ''] = label.split(/\.{3}|…/);
  return last !== '' && wanted.startsWith(first) && (wanted.endsWith(last) || wanted.length < WHOLE_KEY_LENGTH);
}

/** Minimum length of a key. */
const WHOLE_KEY_LENGTH = 60;
