import type { SensitiveCategory, SensitiveData } from '../store/accounts/sensitive-data.ts';
import { findSensitive } from './find/find.ts';
import type { Finding } from './find/finding.ts';
import { TextRefusal } from './refusals.ts';
import type { RequestText, TextKind } from './request-texts.ts';

export interface Scanned {
  text: string;
  kind: TextKind;
  findings: Finding[];
  /** Number of values that had a placeholder before this text. */
  knownBefore: number;
}

/**
 * Finds the sensitive values of a text.
 * @throws {TextRefusal} if the key blocks a finding, or a finding cannot be changed
 */
export function scan({ text, kind, name }: RequestText, { action, categories }: SensitiveData): Scanned {
  const findings = findInText(text, name, new Set(categories));
  const [first] = findings;
  if (first && action === 'block') throw new TextRefusal('blocked', first.category);
  if (first && !isChangeable(kind)) throw new TextRefusal('unchangeable', first.category);
  return { text, kind, findings, knownBefore: 0 };
}

export function isChangeable(kind: TextKind): boolean {
  return kind === 'text' || kind === 'signed';
}

/**
 * Finds the sensitive values of a text. The name of a value may identify it, as in `{"inn": "…"}`, so both are searched
 * together.
 */
function findInText(text: string, name: string | undefined, wanted: ReadonlySet<SensitiveCategory>): Finding[] {
  if (name === undefined) return findSensitive(text, wanted);
  const prefix = `${name}: `;
  return findSensitive(prefix + text, wanted)
    .filter(({ start }) => start >= prefix.length)
    .map(({ category, start, end }) => ({ category, start: start - prefix.length, end: end - prefix.length }));
}
