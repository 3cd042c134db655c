/** Converts usage to the form of records: unknown counts are null, and prompt tokens include cached tokens. */

import {
  generationUnits,
  promptParts,
  roundUnits,
  type GenerationField,
  type RecordedUnit,
} from '../catalog/unit-lists.ts';
import type { Outcome, RoundUsage } from '../store/generations/outcome.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

/** Returns the units of one request to a provider, or the total of several, in the form of records. */
export function recordedUsage(usage: TokenUsage): RoundUsage {
  const totals = { promptTokens: promptTokens(usage), completionTokens: usage.outputTokens };
  return { ...totals, ...countsIn(usage, roundUnits) };
}

/**
 * Returns the units that a record stores once for the whole generation instead of per request to a provider, such as
 * searches.
 */
export function recordedPieces(usage: TokenUsage): Pick<Outcome, GenerationField> {
  return countsIn(usage, generationUnits);
}

function countsIn<Field extends string>(
  usage: TokenUsage,
  units: readonly RecordedUnit<Field>[],
): Record<Field, number | null> {
  const counts: Partial<Record<Field, number | null>> = {};
  for (const { usage: field, record } of units) counts[record[0]] = usage[field] ?? null;
  return counts as Record<Field, number | null>;
}

/** Converts a recorded usage to the form from which prices are computed. Unknown counts become 0. */
export function usageOfRecord(round: RoundUsage): TokenUsage {
  const usage: TokenUsage = { inputTokens: round.promptTokens, outputTokens: round.completionTokens };
  for (const unit of roundUnits) usage[unit.usage] = round[unit.record[0]] ?? 0;
  for (const unit of promptParts) usage.inputTokens -= usage[unit.usage] ?? 0;
  return usage;
}
