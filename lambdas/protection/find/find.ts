import type { SensitiveCategory } from '../../store/accounts/sensitive-data.ts';
import { findCards } from './card.ts';
import { findCredentials } from './credential.ts';
import { findEmails } from './email.ts';
import type { Finding, Rule } from './finding.ts';
import { findInns } from './inn.ts';
import { findIpAddresses } from './ip-address.ts';
import { numeralsIn } from './numbers.ts';
import { findPassports } from './passport.ts';
import { findPhones } from './phone.ts';
import { findSnils } from './snils.ts';

/** Rules by category, the most specific first. */
const categoryRules: Record<SensitiveCategory, Rule> = {
  credential: findCredentials,
  email: findEmails,
  card: findCards,
  snils: findSnils,
  inn: findInns,
  passport: findPassports,
  ip_address: findIpAddresses,
  phone: findPhones,
};
const categories = Object.keys(categoryRules) as SensitiveCategory[];

/** Returns findings from left to right, without overlaps. */
export function findSensitive(text: string, wanted: ReadonlySet<SensitiveCategory>): Finding[] {
  const findings: Finding[] = [];
  const numerals = numeralsIn(text);
  for (const category of categories) {
    if (!wanted.has(category)) continue;
    categoryRules[category](text, numerals, (start, end) => findings.push({ category, start, end }));
  }
  return withoutOverlaps(findings);
}

/**
 * Merges overlapping findings, so that no part of either remains in the text. The merged finding has the category that
 * comes first in `categoryRules`.
 */
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
