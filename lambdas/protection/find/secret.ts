/** Tests whether a value is a secret, or a word, variable, path, date or call in its position. */

/**
 * Calls and insertions of a shell or a template: `${X}`, `$(cat x)`, `<token>`, `os.environ[…]`, `***`, another name.
 */
const EXPRESSION = /^[$<{[(%*]|^[a-z]+\|[a-z]|[([{]|\*{3}|^[\w-]+=(?!=*$)/;
/** Names without a digit: `settings.key`, `YOUR_API_KEY`, `alias/main`; and abbreviations: `sk-...`. */
const REFERENCE =
  /^[A-Za-z_][\w-]*(?:(?:\.|::|->)[A-Za-z_][\w-]*)+$|^[A-Z]+(?:_[A-Z]+)+$|^your[-_]|^alias\/|\.\.\.|…|x{5}/i;
/** URLs, paths, mail addresses and times. */
const PLACE_NAME =
  /^\/\/|^[a-z][a-z+.-]{1,12}:\/\/|^(?:~|\.{0,2})\/[\w.-]+(?:\/[\w.-]+)*\/?$|^[a-z]:\\|^[\p{L}\d_.+-]+@[\p{L}\d-]+\.[\p{L}\d.-]+(?::|$)/iu;
const MOMENT = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/;
/** Machine names made by systems, and commands of a shell: `LAPTOP-7QK2V`, `Read-Host`. */
const NAMED_THING = /^(?:LAPTOP|DESKTOP|WIN)-[A-Z\d]+$|^(?:[A-Z][a-z]+-){1,2}[A-Z][A-Za-z]+$/;

/** A value in quotes may contain brackets. It is a call only if the whole value is one. */
function isQuotedText(value: string): boolean {
  return !/^[$<{[%*]|\*{3}|^[\w.]+\(.*\)$/.test(value) && isOrdinary(value);
}

/** `wp_U8)jkTop%3`. */
export function isQuotedPassword(value: string): boolean {
  return value.length >= 8 && isQuotedText(value) && /\d/.test(value) && classesOf(value) >= 3;
}

export function isNoReference(value: string): boolean {
  return !EXPRESSION.test(value) && isOrdinary(value);
}

function isOrdinary(value: string): boolean {
  if (PLACE_NAME.test(value) || MOMENT.test(value) || NAMED_THING.test(value)) return false;
  return /\d/.test(value) || !REFERENCE.test(value);
}

/** At least six characters that are not one word, or only digits. */
export function isPassword(value: string): boolean {
  if (value.length < 6 || !isNoReference(value)) return false;
  if (/^\d{6,}$/.test(value)) return true;
  if (!/\p{L}/u.test(value) && !/[!@#$^&*].*[!@#$^&*]/.test(value)) return false;
  return classesOf(value) >= 3 || (/\d/.test(value) && classesOf(value) >= 2) || NO_VOWELS.test(value);
}

/** No word has this many consonants in a row. */
const NO_VOWELS = /^[a-z]*[b-df-hj-np-tv-xz]{7}[a-z]*$/;

/** Long and random, or short with all kinds of characters. */
export function isKey(value: string): boolean {
  if (!isNoReference(value) || /^[\d.,:/-]+$/.test(value) || isOfWords(value)) return false;
  return value.length >= 16 ? isMixed(value) : value.length >= 8 && /\d/.test(value) && classesOf(value) >= 3;
}

/**
 * Values with a mix of characters that no word or name has. After the name of a password, they are certainly secrets.
 */
export function isUnmistakable(value: string): boolean {
  if (value.length < 7 || !isNoReference(value) || !/\p{L}/u.test(value)) return false;
  if (APP_PASSWORD.test(value)) return true;
  if (!/\d/.test(value)) return false;
  if (/[\p{L}\d][!@#$%^&*?+=~][\p{L}\d]/u.test(value) && value.length >= 8) return true;
  if (classesOf(value) === 4 && /[!@#$%^&*?+=~]/.test(value)) return true;
  if (isOfWords(value)) return false;
  const changes = characterChanges(value);
  return (changes >= 3 && value.length >= 8 && /[a-z]/.test(value) && /[A-Z]/.test(value)) || isRandom(value, changes);
}

/** `abcd-efgh-ijkl-mnop`: app passwords of Apple and Google. */
const APP_PASSWORD = /^[a-z]{4}(?:-[a-z]{4}){3}$/;

/** Letters of one case mixed with digits. */
function isRandom(value: string, changes: number): boolean {
  return value.length >= 10 && changes >= 4 && /^[\w-]+$/.test(value);
}

/**
 * A lower-case word with a number, as people make passwords: `dacha1987dacha`, `Nas-Sinka-08`, `demo_Vitrina99`.
 * Releases, machines and standards have fewer letters or digits (`srv01`, `AX1800`, `IKEv2`), or a sign but no capital
 * letter (`svc_backup22`).
 */
export function isLikePassword(value: string): boolean {
  if (value.length < 8 || !/^[\p{L}\d_.№-]+$/u.test(value) || !isNoReference(value)) return false;
  const small = value.match(/\p{Ll}/gu)?.length ?? 0;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (small < 3 || digits < 2 || RELEASE_NAME.test(value)) return false;
  if (/^\p{L}+\d{1,3}$/u.test(value)) return false;
  return /\p{Lu}/u.test(value) || digits >= 4 || /\d\p{Ll}{2}/u.test(value);
}

/** `Tomcat-9.0.85`, `Ubuntu-22.04`, `2024-q3`, a date with words. */
const RELEASE_NAME = /\d\.\d|^\d{4}-|^v\d/;

/** Letters and digits alternate as in no word, name or date. */
export function isMixed(value: string): boolean {
  const changes = characterChanges(value);
  return (
    changes >= 3 ||
    (changes >= 1 && /[a-z]/.test(value) && /[A-Z]/.test(value)) ||
    (value.length >= 32 && /[a-z][A-Z]/.test(value))
  );
}

/** `My-Service-Account2`, `mySecretName2`, `Windows10`, `v1/data/App1`: words with a few numbers. */
export function isOfWords(value: string): boolean {
  if ((value.match(/\d+/g)?.length ?? 0) > 2) return false;
  return value
    .split(/[-_./:]/)
    .every((part) => /^(?:v?\d{1,4}|(?:[A-Z]?[a-zа-яё]{2,}|[A-Z]{2,})*\d{0,2}|)$/.test(part));
}

/** Number of character kinds in the value: lower-case letters, capitals, digits and signs. */
export function classesOf(value: string): number {
  let count = 0;
  for (const kind of CHARACTER_KINDS) if (kind.test(value)) count += 1;
  return count;
}

const CHARACTER_KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d\s]/u];

function characterChanges(value: string): number {
  return value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
}
