/** What secrets are made of, and what stands where one could: a word, a variable, a path, a date, a call. */

/** Calls and what a shell or a template puts in: `${X}`, `$(cat x)`, `<token>`, `os.environ[…]`, `***`, another name. */
const EXPRESSION = /^[$<{[(%*]|^[a-z]+\|[a-z]|[([{]|\*{3}|^[\w-]+=(?!=*$)/;
/** Names without a digit: `settings.key`, `YOUR_API_KEY`, `alias/main`; and what stands for something: `sk-...`. */
const REFERENCE =
  /^[A-Za-z_][\w-]*(?:(?:\.|::|->)[A-Za-z_][\w-]*)+$|^[A-Z]+(?:_[A-Z]+)+$|^your[-_]|^alias\/|\.\.\.|…|x{5}/i;
/** Addresses, paths, mail, moments. */
const PLACE =
  /^\/\/|^[a-z][a-z+.-]{1,12}:\/\/|^(?:~|\.{0,2})\/[\w.-]+(?:\/[\w.-]+)*\/?$|^[a-z]:\\|^[\p{L}\d_.+-]+@[\p{L}\d-]+\.[\p{L}\d.-]+$/iu;
const MOMENT = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/;

export function isNoReference(value: string): boolean {
  if (EXPRESSION.test(value) || PLACE.test(value) || MOMENT.test(value)) return false;
  return /\d/.test(value) || !REFERENCE.test(value);
}

/** Six characters that are not one word, or digits alone. */
export function isPassword(value: string): boolean {
  if (value.length < 6 || !isNoReference(value)) return false;
  if (/^\d{6,}$/.test(value)) return true;
  if (!/\p{L}/u.test(value) && !/[!@#$^&*].*[!@#$^&*]/.test(value)) return false;
  return classesOf(value) >= 3 || (/\d/.test(value) && classesOf(value) >= 2);
}

/** Long and without order, or short and made of everything. */
export function isKey(value: string): boolean {
  if (!isNoReference(value) || /^[\d.,:/-]+$/.test(value) || isOfWords(value)) return false;
  return value.length >= 16 ? isMixed(value) : value.length >= 8 && /\d/.test(value) && classesOf(value) >= 3;
}

/** What nobody takes for anything else, even where only the sentence speaks of a password. */
export function isStrong(value: string): boolean {
  if (value.length < 8 || !isNoReference(value) || isOfWords(value) || !/\p{L}/u.test(value)) return false;
  const isSigned = /\d/.test(value) && /^[^\s]*[\p{L}\d][!@#$%^&*][\p{L}\d]/u.test(value);
  return isSigned || (changesOf(value) >= 3 && /[a-z]/.test(value) && /[A-Z]/.test(value));
}

/** Letters and digits through each other, as in no word, name or date. */
export function isMixed(value: string): boolean {
  const changes = changesOf(value);
  return (
    changes >= 3 ||
    (changes >= 1 && /[a-z]/.test(value) && /[A-Z]/.test(value)) ||
    (value.length >= 32 && /[a-z][A-Z]/.test(value))
  );
}

/** `My-Service-Account2`, `mySecretName2`, `Windows10`, `v1/data/App1`: words of letters, and a number here and there. */
export function isOfWords(value: string): boolean {
  if ((value.match(/\d+/g)?.length ?? 0) > 2) return false;
  return value
    .split(/[-_./:]/)
    .every((part) => /^(?:v?\d{1,4}|(?:[A-Z]?[a-zа-яё]{2,}|[A-Z]{2,})*\d{0,2}|)$/.test(part));
}

/** How many of small letters, capitals, digits and signs are in it. */
export function classesOf(value: string): number {
  return [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d\s]/u].filter((kind) => kind.test(value)).length;
}

function changesOf(value: string): number {
  return value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
}
