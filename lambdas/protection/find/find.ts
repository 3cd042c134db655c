/** Values of the categories that the gateway knows, in one text. */

import type { SensitiveCategory } from '../../store/sensitive-data.ts';
import { findCards } from './card.ts';
import { findCredentials } from './credential.ts';
import { findEmails } from './email.ts';
import type { Finding, Rule } from './finding.ts';
import { findInns } from './inn.ts';
import { findIpAddresses } from './ip-address.ts';
import { numeralsIn, type Numerals } from './numbers.ts';
import { findPassports } from './passport.ts';
import { findPhones } from './phone.ts';
import { findSnils } from './snils.ts';

/** Where two find the same, the first is right: it knows more of it. */
const rules: Record<SensitiveCategory, { find: Rule; needs: RegExp }> = {
  credential: { find: findCredentials, needs: /\d|-----BEGIN|pass|pwd|парол|key|token|secret|ключ|токен|секрет/i },
  email: { find: findEmails, needs: /@/ },
  card: { find: findCards, needs: /\d{4}[^\p{L}]{0,1}\d{4}/u },
  snils: { find: findSnils, needs: /\d{3}/ },
  inn: { find: findInns, needs: /\d{10}/ },
  passport: { find: findPassports, needs: /паспорт|загранник|passport/i },
  ip_address: { find: findIpAddresses, needs: /\d\.\d|[\da-f]:/i },
  phone: { find: findPhones, needs: /\d[^\p{L}]{0,3}\d/u },
};
const categories = Object.keys(rules) as SensitiveCategory[];

/** Most texts of a conversation have none of these. */
const ANYTHING = /[\d@]|-----BEGIN|pass|pwd|парол|key|token|secret|ключ|токен|секрет/i;

/** What is found of these categories, from left to right; no two overlap. */
export function findSensitive(text: string, wanted: ReadonlySet<SensitiveCategory>): Finding[] {
  if (!ANYTHING.test(text)) return [];
  const findings: Finding[] = [];
  let numerals: Numerals[] | undefined;
  for (const category of categories) {
    const { find, needs } = rules[category];
    if (!wanted.has(category) || !needs.test(text)) continue;
    for (const { start, end } of find(text, (numerals ??= numeralsIn(text)))) findings.push({ category, start, end });
  }
  return withoutOverlaps(findings);
}

/** Findings that overlap become one, of the earlier rule's category: no part of either may be left. */
function withoutOverlaps(findings: Finding[]): Finding[] {
  const kept: Finding[] = [];
  for (const finding of findings.sort((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (!last || finding.start >= last.end) {
      kept.push(finding);
      continue;
    }
    last.end = Math.max(last.end, finding.end);
    if (categories.indexOf(finding.category) < categories.indexOf(last.category)) last.category = finding.category;
  }
  return kept;
}
