import { isIPv4, isIPv6 } from 'node:net';
import { isWordAt, wordsBefore, type Rule } from './finding.ts';

const V4 = /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\d|\.\d)/g;
const V6 = /^(?:[0-9a-f]{1,4}:|:(?=:)|:){2,8}(?:[0-9a-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?![\w:]|\.\d)/i;

/** What every address of version 6 has; quicker to look for. */
const MAYBE_V6 = /::|:[\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}:/gi;
const MAX_V6 = 45;

/** Words before four numbers that are no address; the last may be a few characters away. */
const NO_ADDRESS =
  /(?<!\p{L})(?:верси\p{L}*|релиз\p{L}*|сборк\p{L}*|прошивк\p{L}*|драйвер\p{L}*|пункт\p{L}*|раздел\p{L}*|подраздел\p{L}*|глав\p{L}*|стать\p{L}*|таблиц\p{L}*|рисун\p{L}*|оценк\p{L}*|version\p{L}*|ver|v|rev|release\p{L}*|build|assembly|firmware|driver|upgrade to|section|chapter|clause|figure|table|oid|chrome|firefox|safari|edge|opera|windows|android|ios|macos|gtk)[^\p{L}\d]{0,4}$|(?<!\p{L})п+\.\s?$|§\s?$|[\p{L}\d]\/$/iu;
const ADDRESS =
  /(?<!\p{L})(?:ip|ip-?адрес|айпи|адрес|addr|address|host|хост|server|сервер|dns|ping|ssh|client|proxy|gateway|шлюз)(?!\p{L})/iu;
/** Public resolvers, whose numbers are all small. */
const RESOLVERS = new Set(['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '9.9.9.9']);
/** Before and after a release that looks like an address. */
const RELEASE_BEFORE =
  /(?:верси|релиз|сборк|прошивк|обновлен|version|release|firmware|build|patch)\p{L}*(?:[ _"':=-]{1,3}(?!ip|айпи)\p{L}{1,16}){0,2}[^\p{L}\d]{1,4}$|[\p{L}\d\]](?:[=~!><]=|\^|~)$|\p{L}-$/iu;
const RELEASE_AFTER =
  /^(?:[-+._]?(?:alpha|beta|rc|snapshot|dev|pre|post|build|final|ga|hotfix|patch|stable|lts|release)|[-_.](?:tar|zip|jar|war|whl|deb|rpm|exe|msi|dmg|pkg|apk|tgz|so|dll|amd64|x86|arm|linux|win|el\d))/i;
const CONTEXT = 40;

/** Addresses of machines. Loopback, unspecified addresses and netmasks say nothing of anybody. */
export const findIpAddresses: Rule = function* (text, numerals) {
  for (const { start: from, written } of numerals) {
    if (!written.includes('.')) continue;
    for (const { 0: found, index } of written.matchAll(V4)) {
      const [start, end] = [from + index, from + index + found.length];
      if (isWordAt(text, start - 1) || text[start - 1] === '.' || isWordAt(text, end)) continue;
      if (isIPv4(found) && !isCommon(found) && isAddress(found, text, start, end)) yield { start, end };
    }
  }
  yield* findV6(text);
};

/** What stands before and after decides. */
function isAddress(found: string, text: string, start: number, end: number): boolean {
  const before = wordsBefore(text, start, CONTEXT);
  if (NO_ADDRESS.test(before)) return false;
  if (ADDRESS.test(before)) return true;
  return (!isOfSmallNumbers(found) || RESOLVERS.has(found)) && !isRelease(found, before, text.slice(end, end + 12));
}

/** `10.2.3.4-beta`, `lib-10.2.3.4.jar`, `name==10.2.3.4`, `версия клиента 10.2.3.4`; nobody counts to 192.168. */
function isRelease(found: string, before: string, after: string): boolean {
  return RELEASE_AFTER.test(after) || (RELEASE_BEFORE.test(before) && !found.startsWith('192.168.'));
}

function* findV6(text: string): ReturnType<Rule> {
  let done = 0;
  for (const { index } of text.matchAll(MAYBE_V6)) {
    if (index < done) continue;
    let start = index;
    while (start > done && index - start < MAX_V6 && isOfV6(text, start - 1)) start -= 1;
    const found = V6.exec(text.slice(start, start + MAX_V6 + 3))?.[0] ?? '';
    done = start + Math.max(found.length, index - start + 2);
    if (isIPv6(found) && saysWhere(found) && !isWordAt(text, start - 1)) yield { start, end: start + found.length };
  }
}

function isOfV6(text: string, index: number): boolean {
  return isWordAt(text, index) || text[index] === ':' || text[index] === '.';
}

/** Not loopback; `beef::cafe` and `12::34` are names and numbers as often as addresses. */
function saysWhere(address: string): boolean {
  const groups = address.match(/[\da-f]+/gi) ?? [];
  const isLinkOrTwo = groups.length > 2 || (groups.length > 0 && /^(?:f[ce]|2[0-9a-f]{3}:)/i.test(address));
  return isLinkOrTwo && /\d/.test(address) && !/^[:0]*1?$/.test(address);
}

function isCommon(address: string): boolean {
  return /^(?:127|0|255)\./.test(address);
}

/** `1.2.3.4` is a section or a version as often as an address. */
function isOfSmallNumbers(address: string): boolean {
  return /^\d(?:\.\d){3}$/.test(address);
}
