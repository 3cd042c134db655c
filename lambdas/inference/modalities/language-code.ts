import * as z from 'zod';

/** A language with a script or a region, such as `en-US` or `zh_Hant_TW`. The group is the language alone. */
const LOCALE = /^([a-z]{2,3})(?:[-_][a-z\d]{2,8})*$/i;
const LANGUAGE_RULE = 'must be a language of ISO 639, such as "en"';

/** Language of a locale, with two letters if ISO 639-1 has the language. */
function languageOfLocale(locale: string): string {
  const language = LOCALE.exec(locale)?.[1]?.toLowerCase();
  return (language?.length === 3 ? new Intl.Locale(language).language : language) ?? locale;
}

export const languageCode = z
  .string()
  .overwrite(languageOfLocale)
  .regex(/^[a-z]{2,3}$/, LANGUAGE_RULE);

/** Code of a language, `auto` or an empty text. With `auto` or an empty text, the provider detects the language. */
export const languageOrAuto = z
  .string()
  .overwrite(languageOfLocale)
  .regex(/^(?:auto|[a-z]{2,3})?$/, LANGUAGE_RULE);
