/** Locales by language, for providers that expect a language with a region. */
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

/** Returns the locale of a language; the language itself if no locale is known. */
export function localeOf(language: string): string {
  return spokenLocales[language] ?? language;
}
