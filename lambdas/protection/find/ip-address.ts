import { isIPv4, isIPv6 } from 'node:net';
import { isWordAt, wordsBefore, type Rule } from './finding.ts';

const V4 = /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d]|\.\d)/g;
/** Bounded, because each start looks ahead. */
const V6 = /(?<![\w:.])(?:[0-9a-f]{1,4}:|:(?=:)|:){2,8}(?:[0-9a-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?![\w:]|\.\d)/gi;

/** What every address of version 6 has; quicker to look for. */
const MAYBE_V6 = /::|:[\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}:/i;

/** Words before four numbers that are no address; the last may be a few characters away. */
const NO_ADDRESS =
  /(?<!\p{L})(?:верси\p{L}*|релиз\p{L}*|сборк\p{L}*|прошивк\p{L}*|драйвер\p{L}*|пункт\p{L}*|раздел\p{L}*|подраздел\p{L}*|глав\p{L}*|стать\p{L}*|таблиц\p{L}*|рисун\p{L}*|оценк\p{L}*|version\p{L}*|ver|v|rev|release\p{L}*|build|assembly|firmware|driver|upgrade to|section|chapter|clause|figure|table|oid|chrome|firefox|safari|edge|opera|windows|android|ios|macos|gtk)[^\p{L}\d]{0,4}$|(?<!\p{L})п+\.\s?$|§\s?$|[\p{L}\d]\/$/iu;
const ADDRESS =
  /(?<!\p{L})(?:ip|ip-?адрес|айпи|адрес|addr|address|host|хост|server|сервер|dns|ping|ssh|client|proxy|gateway|шлюз)(?!\p{L})/iu;
/** Public resolvers, whose numbers are all small. */
const RESOLVERS = new Set(['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '9.9.9.9']);
const CONTEXT = 32;

/** Addresses of machines. Loopback, unspecified addresses and netmasks say nothing of anybody. */
export const findIpAddresses: Rule = function* (text) {
  for (const { 0: found, index: start } of text.matchAll(V4)) {
    const end = start + found.length;
    if (isWordAt(text, start - 1) || isWordAt(text, end) || !isIPv4(found) || isCommon(found)) continue;
    const before = wordsBefore(text, start, CONTEXT);
    if (NO_ADDRESS.test(before)) continue;
    if (!isOfSmallNumbers(found) || RESOLVERS.has(found) || ADDRESS.test(before)) yield { start, end };
  }
  if (!MAYBE_V6.test(text)) return;
  for (const { 0: found, index: start } of text.matchAll(V6)) {
    if (isIPv6(found) && saysWhere(found)) yield { start, end: start + found.length };
  }
};

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
