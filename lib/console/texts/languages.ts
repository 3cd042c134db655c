import { english, type Texts } from './english.ts';
import { russian } from './russian.ts';

export type { Texts };

export const languages = { en: english, ru: russian } satisfies Record<string, Texts>;
export type Language = keyof typeof languages;

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

/** Request statuses, in the order of the filter. */
export const requestStatusNames = Object.keys(english.statuses) as (keyof typeof english.statuses)[];
