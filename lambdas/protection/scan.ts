/** Every text of a request, with what is found in it. */

import type { MessagesRequest } from '../messages/types.ts';
import type { SensitiveCategory, SensitiveData } from '../store/sensitive-data.ts';
import { findSensitive } from './find/find.ts';
import type { Finding } from './find/finding.ts';
import { blocked, unchangeable } from './refusals.ts';
import { mapTexts, type Place, type TextKind } from './request-texts.ts';

export interface Scanned {
  text: string;
  kind: TextKind;
  findings: Finding[];
  /** How many values had a placeholder before this text. */
  knownBefore: number;
}

/**
 * The texts in the order in which `mapTexts` visits them.
 * @throws {GatewayError} 400 where something is found that the key blocks, or that cannot be changed
 */
export function scan(message: MessagesRequest, { action, categories }: SensitiveData): Scanned[] {
  const wanted = new Set(categories);
  const scanned: Scanned[] = [];
  mapTexts(message, (text, place) => {
    const findings = findIn(text, place, wanted);
    const [first] = findings;
    if (first && action === 'block') throw blocked(first.category, place.field());
    if (first && !isChangeable(place.kind)) throw unchangeable(first.category, place.field());
    scanned.push({ text, kind: place.kind, findings, knownBefore: 0 });
    return text;
  });
  return scanned;
}

export function isChangeable(kind: TextKind): boolean {
  return kind === 'text' || kind === 'signed';
}

/** In JSON of a model, the name of a value says what it is: `{"inn": "…"}`. */
function findIn(text: string, { name }: Place, wanted: ReadonlySet<SensitiveCategory>): Finding[] {
  if (name === undefined) return findSensitive(text, wanted);
  const prefix = `${name}: `;
  return findSensitive(prefix + text, wanted)
    .filter(({ start }) => start >= prefix.length)
    .map(({ category, start, end }) => ({ category, start: start - prefix.length, end: end - prefix.length }));
}
