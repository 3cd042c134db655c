/** Locales of languages, at providers that expect a region with a language. */
const spokenLocales: Record<string, string> = {
  ru: 'ru-RU',
  en: 'en-US',
  kk: 'kk-KZ',
  uz: 'uz-UZ',
  de: 'de-DE',
  es: 'es-ES',
  fi: 'fi-FI',
  fr: 'fr-FR',
  he: 'he-IL',
  it: 'it-IT',
  nl: 'nl-NL',
  pl: 'pl-PL',
  pt: 'pt-PT',
  sv: 'sv-SE',
  tr: 'tr-TR',
};

/** Returns the locale of a language. A language without a known locale is passed on. */
export function localeOf(language: string): string {
  return spokenLocales[language] ?? language;
}
