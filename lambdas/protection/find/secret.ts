/** Tests whether a value is a secret, and not a word, a variable, a path, a date or a call. */

/** Expressions such as `${X}`, `$(cat x)`, `<token>`, `os.environ[…]`, `***`, or another name with `=`. */
const EXPRESSION = /^[$<{[(%*]|^[a-z]+\|[a-z]|[([{]|\*{3}|^[\w-]+=(?!=*$)/;
/**
 * Names such as `settings.key`, `YOUR_API_KEY` or `alias/main`, and abbreviations such as `sk-...`. Only values without
 * digits are tested.
 */
const REFERENCE =
  /^[A-Za-z_][\w-]*(?:(?:\.|::|->)[A-Za-z_][\w-]*)+$|^[A-Z]+(?:_[A-Z]+)+$|^your[-_]|^alias\/|\.\.\.|…|x{5}/i;
/** URLs, paths and mail addresses. MOMENT matches dates. */
const PLACE_NAME =
  /^\/\/|^[a-z][a-z+.-]{1,12}:\/\/|^(?:~|\.{0,2})\/[\w.-]+(?:\/[\w.-]+)*\/?$|^[a-z]:\\|^[\p{L}\d_.+-]+@[\p{L}\d-]+\.[\p{L}\d.-]+(?::|$)/iu;
const MOMENT = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/;
/** Machine names that systems generate, and commands of a shell: `LAPTOP-7QK2V`, `Read-Host`. */
const NAMED_THING = /^(?:LAPTOP|DESKTOP|WIN)-[A-Z\d]+$|^(?:[A-Z][a-z]+-){1,2}[A-Z][A-Za-z]+$/;

/** Whether a value in quotes, which may contain brackets, is no call, expression, path or date. */
function isQuotedText(value: string): boolean {
  return !/^[$<{[%*]|\*{3}|^[\w.]+\(.*\)$/.test(value) && isOrdinary(value);
}

/** Whether a value in quotes looks like a password, as in `wp_U8)jkTop%3`. */
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

/**
 * Whether a value looks like a password: six characters of three kinds (or of two, with a digit), seven consecutive
 * consonants, or six digits. References, and values of digits and single signs, do not count.
 */
export function isPassword(value: string): boolean {
  if (value.length < 6 || !isNoReference(value)) return false;
  if (/^\d{6,}$/.test(value)) return true;
  if (!/\p{L}/u.test(value) && !/[!@#$^&*].*[!@#$^&*]/.test(value)) return false;
  return classesOf(value) >= 3 || (/\d/.test(value) && classesOf(value) >= 2) || NO_VOWELS.test(value);
}

/** Seven consecutive consonants, which hardly any word has. */
const NO_VOWELS = /^[a-z]*[b-df-hj-np-tv-xz]{7}[a-z]*$/;

/**
 * Whether a value is long and mixed, or shorter with a digit and three kinds of characters. References and words do not
 * count.
 */
export function isKey(value: string): boolean {
  if (!isNoReference(value) || /^[\d.,:/-]+$/.test(value) || isOfWords(value)) return false;
  return value.length >= 16 ? isMixed(value) : value.length >= 8 && /\d/.test(value) && classesOf(value) >= 3;
}

/** Whether a value mixes characters as words and names rarely do, which is enough after the name of a password. */
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

/** App passwords of Apple and Google: `abcd-efgh-ijkl-mnop`. */
const APP_PASSWORD = /^[a-z]{4}(?:-[a-z]{4}){3}$/;

function isRandom(value: string, changes: number): boolean {
  return value.length >= 10 && changes >= 4 && /^[\w-]+$/.test(value);
}

/**
 * Whether a value is a word with a number, as in many passwords: `dacha1987dacha`, `Nas-Sinka-08`, `demo_Vitrina99`.
 * Names of releases, machines and standards do not count, such as `srv01`, `AX1800`, `IKEv2`, `svc_backup22`.
 */
export function isLikePassword(value: string): boolean {
  if (value.length < 8 || !/^[\p{L}\d_.№-]+$/u.test(value) || !isNoReference(value)) return false;
  const small = value.match(/\p{Ll}/gu)?.length ?? 0;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (small < 3 || digits < 2 || RELEASE_NAME.test(value)) return false;
  if (/^\p{L}+\d{1,3}$/u.test(value)) return false;
  return /\p{Lu}/u.test(value) || digits >= 4 || /\d\p{Ll}{2}/u.test(value);
}

/** Names of releases, and dates with words: `Tomcat-9.0.85`, `Ubuntu-22.04`, `2024-q3`. */
const RELEASE_NAME = /\d\.\d|^\d{4}-|^v\d/;

/** Whether a value mixes letters and digits, or letter cases, as words, names and dates rarely do. */
export function isMixed(value: string): boolean {
  const changes = characterChanges(value);
  return (
    changes >= 3 ||
    (changes >= 1 && /[a-z]/.test(value) && /[A-Z]/.test(value)) ||
    (value.length >= 32 && /[a-z][A-Z]/.test(value))
  );
}

/**
 * Whether a value consists of words, with at most two numbers: `My-Service-Account2`, `mySecretName2`, `Windows10`,
 * `v1/data/App1`.
 */
export function isOfWords(value: string): boolean {
  if ((value.match(/\d+/g)?.length ?? 0) > 2) return false;
  return value
    .split(/[-_./:]/)
    .every((part) => /^(?:v?\d{1,4}|(?:[A-Z]?[a-zа-яё]{2,}|[A-Z]{2,})*\d{0,2}|)$/.test(part));
}

/** Counts kinds of characters: lower-case letters, capitals, digits and signs. */
export function classesOf(value: string): number {
  let count = 0;
  for (const kind of CHARACTER_KINDS) if (kind.test(value)) count += 1;
  return count;
}

const CHARACTER_KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d\s]/u];

function characterChanges(value: string): number {
  return value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
}
