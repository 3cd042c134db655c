import { isIPv4, isIPv6 } from 'node:net';
import { isWordAt, lastWord, matchesOf, wordsBefore, type Add, type Rule } from './finding.ts';

const V4 = /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\d|\.\d)/g;
const V6 = /^(?:[0-9a-f]{1,4}:|:(?=:)|:){2,8}(?:[0-9a-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?![\w:]|\.\d)/i;

/** Cheap test that every IPv6 address passes. */
const MAYBE_V6 = /::|:[\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}:/gi;
const MAX_V6 = 45;

/** Words directly before the numbers of a version or a section. */
const NO_ADDRESS =
  /^(?:верси|релиз|сборк|прошивк|драйвер|пункт|раздел|подраздел|глав|стать|таблиц|рисун|приложени|оценк|п+$|пп?\.?$|version|ver$|v$|rev$|release|build$|assembly$|firmware$|driver$|section$|chapter$|clause$|figure$|table$|appendix$|annex$|oid$|chrome$|firefox$|safari$|edge$|opera$|windows$|android$|ios$|macos$|gtk$)/i;
/** Signs before a version or a section, as in `nginx/1.25.3.1` or `§ 4.1.1.2`. */
const NO_ADDRESS_SIGN = /§\s?$|[\p{L}\d]\/$/u;
const ADDRESS =
  /(?<!\p{L})(?:ip|ip-?адрес|айпи|адрес|addr|address|host|хост|server|сервер|dns|ping|ssh|пинг\p{L}*|client|proxy|gateway|шлюз|клиент|узел|route|network|subnet|подсет[ьи]|сет[ьи]|peer|remote|src|dst|source|nameserver|inet|allow|deny|listen|connect\p{L}*)(?!\p{L})/iu;
/**
 * Matches numbers that begin below 30 but not with 10, as versions of software do. THIRD_ZERO matches a third number of
 * zero, which is rare in addresses.
 */
const LOW = /^(?!10\.)[12]?\d\./;
const THIRD_ZERO = /^\d+\.\d+\.0\./;
/**
 * Words that often come directly before addresses, as in `Banned from 5.188.10.77`. Any other word there may be the
 * name of a program.
 */
const NO_NAME =
  /^(?:со?|из|на|от|по|и|или|from|at|by|via|and|or|for|is|are|with|ban|unban|banned|block|blocked|found|drop|dropped|reject|rejected|attacker)$/i;
/** Public DNS resolvers are addresses, although they look like versions. */
const RESOLVERS = new Set(['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '9.9.9.9']);
/**
 * Words for a release, which also apply if up to two other words are between them and the numbers. Numbers after them
 * are a release, unless a word for an address also precedes them.
 */
const RELEASE_NUMBER = /верси|релиз|сборк|прошивк|обновл|version|release|firmware|build|patch|upgrade|update/i;
const RELEASE_SIGN = /[\p{L}\d\]](?:[=~!><]=|\^|~)$|\p{L}-$/u;
const RELEASE_AFTER =
  /(?:[-+._]?(?:alpha|beta|rc|snapshot|dev|pre|post|build|final|ga|hotfix|patch|stable|lts|release)|[-_.](?:tar|zip|jar|war|whl|deb|rpm|exe|msi|dmg|pkg|apk|tgz|so|dll|amd64|x86|arm|linux|win|el\d))/iy;
const WORDS_BETWEEN = 2;
const CONTEXT = 40;

/** Finds IP addresses. Skips loopback addresses, unspecified addresses and netmasks, which identify no person. */
export const findIpAddresses: Rule = (text, numerals, add) => {
  let release: { number: string; end: number } | undefined;
  for (const { start: from, written } of numerals) {
    if (!written.includes('.')) continue;
    for (const { 0: found, index } of matchesOf(V4, written)) {
      const [start, end] = [from + index, from + index + found.length];
      if (isWordAt(text, start - 1) || text[start - 1] === '.' || isWordAt(text, end)) continue;
      if (!isIPv4(found) || isCommon(found)) continue;
      const isOfRelease = release !== undefined && isNextRelease(release, found, text.slice(release.end, start));
      if (!isOfRelease && isAddress(found, text, start, end)) add(start, end);
      else release = { number: found, end };
    }
  }
  findV6(text, add);
};

/**
 * Whether numbers follow another release or section: after a sign or word such as `→` or `to`, or with the same first
 * three numbers.
 */
function isNextRelease(release: { number: string; end: number }, found: string, between: string): boolean {
  if (found.startsWith('192.168.')) return false;
  const isNext = /^\s?(?:→|->|=>|[–—-]|to|до|на|vs\.?)\s?$/iu.test(between);
  return isNext || (withoutLast(found) === withoutLast(release.number) && !ADDRESS.test(between));
}

function withoutLast(number: string): string {
  return number.slice(0, number.lastIndexOf('.'));
}

function isAddress(found: string, text: string, start: number, end: number): boolean {
  const before = wordsBefore(text, start, CONTEXT);
  const last = lastWord(before, before.length);
  if ((last && NO_ADDRESS.test(last.word)) || NO_ADDRESS_SIGN.test(before.slice(-2))) return false;
  const isDoubtful =
    ((isOfSmallNumbers(found) || isNumberOfProgram(found, before, text.charAt(end))) && !RESOLVERS.has(found)) ||
    isRelease(found, before, text, end);
  return !isDoubtful || ADDRESS.test(before);
}

/** Whether numbers are probably the version of a program, as in `glibc 2.39.1.7` or `19.22.0.0`. */
function isNumberOfProgram(found: string, before: string, after: string): boolean {
  if (!LOW.test(found) || after === ':' || after === '/') return false;
  return THIRD_ZERO.test(found) || (/\p{L} $/u.test(before) && !NO_NAME.test(lastWord(before, before.length)!.word));
}

/**
 * Whether the text marks the numbers as a release: `10.2.3.4-beta`, `name==10.2.3.4`, `версия клиента 10.2.3.4`.
 * Numbers that begin with 192.168 are a release only by the text after them.
 */
function isRelease(found: string, before: string, text: string, end: number): boolean {
  RELEASE_AFTER.lastIndex = end;
  if (RELEASE_AFTER.test(text)) return true;
  if (found.startsWith('192.168.')) return false;
  if (RELEASE_SIGN.test(before.slice(-3))) return true;
  let word = lastWord(before, before.length);
  for (let left = WORDS_BETWEEN; word && left >= 0; left -= 1) {
    if (RELEASE_NUMBER.test(word.word)) return true;
    word = lastWord(before, word.start);
  }
  return false;
}

function findV6(text: string, add: Add): void {
  let done = 0;
  for (const { index } of text.matchAll(MAYBE_V6)) {
    if (index < done) continue;
    let start = index;
    while (start > done && isOfV6(text, start - 1)) start -= 1;
    done = index + 1;
    while (done < text.length && isOfV6(text, done)) done += 1;
    if (index - start > MAX_V6) continue;
    const found = V6.exec(text.slice(start, Math.min(done, start + MAX_V6) + 2))?.[0] ?? '';
    if (isIPv6(found) && isRoutable(found)) add(start, start + found.length);
  }
}

function isOfV6(text: string, index: number): boolean {
  return isWordAt(text, index) || text[index] === ':' || text[index] === '.';
}

/**
 * Prefixes in use: global, unique local, link-local, multicast, and IPv4 inside IPv6. Text with another prefix, such as
 * `beef::cafe`, may be a name.
 */
const GIVEN_OUT = /^(?:[23][\da-f]{3}|f[cdef][\da-f]{2}|64:ff9b|::ffff):/i;

/**
 * Whether an IPv6 address counts. Loopback addresses do not, nor do texts such as `12::34`, which often are not
 * addresses.
 */
function isRoutable(address: string): boolean {
  return GIVEN_OUT.test(address) && (address.match(/[\da-f]+/gi)?.length ?? 0) > 1;
}

function isCommon(address: string): boolean {
  return /^(?:127|0|255)\./.test(address);
}

/** Whether each of the four numbers has one digit. Texts like `1.2.3.4` often are sections or versions. */
function isOfSmallNumbers(address: string): boolean {
  return /^\d(?:\.\d){3}$/.test(address);
}
