/** Usage in records: unknown counts are null, and prompt tokens include all input. */

import {
  generationUnits,
  promptParts,
  roundUnits,
  type GenerationField,
  type RecordedUnit,
} from '../catalog/unit-lists.ts';
import type { Outcome, RoundUsage } from '../store/generations/outcome.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

/** Returns the units that a record stores for each request to a provider. */
export function recordedUsage(usage: TokenUsage): RoundUsage {
  const totals = { promptTokens: promptTokens(usage), completionTokens: usage.outputTokens };
  return { ...totals, ...countsIn(usage, roundUnits) };
}

/** Returns the units that a record stores once for the whole generation. */
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

/** Converts recorded usage. Unknown counts become 0. */
export function usageOfRecord(round: RoundUsage): TokenUsage {
  const usage: TokenUsage = { inputTokens: round.promptTokens, outputTokens: round.completionTokens };
  for (const unit of roundUnits) usage[unit.usage] = round[unit.record[0]] ?? 0;
  for (const unit of promptParts) usage.inputTokens -= usage[unit.usage] ?? 0;
  return usage;
}
