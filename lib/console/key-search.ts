/** The search for a key by its name, label, member or tags, or by the key itself. */

import type { ShownKey } from './answers.ts';

type Searched = Pick<ShownKey, 'name' | 'label' | 'member_id' | 'tags'>;

export function fitsSearch(key: Searched, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return true;
  const tags = Object.entries(key.tags).map((tag) => tag.join('='));
  const texts = [key.name, key.label, key.member_id ?? '', ...tags];
  return texts.some((text) => text.toLowerCase().includes(wanted)) || isShownAs(wanted, key.label.toLowerCase());
}

/** Whether a key or its beginning has the first characters that its label shows, and a whole key also the last. */
function isShownAs(wanted: string, label: string): boolean {
  const [first = '', last = ''] = label.split(/\.{3}|…/);
  return last !== '' && wanted.startsWith(first) && (wanted.endsWith(last) || wanted.length < WHOLE_KEY_LENGTH);
}

/** No key of the gateway is shorter. */
const WHOLE_KEY_LENGTH = 60;
