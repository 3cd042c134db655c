/** Units as records store them: unknown is null, and the prompt's tokens include cached ones. */

import {
  generationUnits,
  promptParts,
  roundUnits,
  type GenerationField,
  type RecordedUnit,
} from '../catalog/unit-lists.ts';
import type { Outcome, RoundUsage } from '../store/generations/outcome.ts';
import { promptTokens, type TokenUsage } from './usage.ts';

/** The units of one request to a provider, or of all of them. */
export function recordedUsage(usage: TokenUsage): RoundUsage {
  const totals = { promptTokens: promptTokens(usage), completionTokens: usage.outputTokens };
  return { ...totals, ...countsIn(usage, roundUnits) };
}

/** The units that a record stores once for the generation. */
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

/** A recorded usage in the form that prices are computed from. Unknown counts are 0. */
export function usageOfRecord(round: RoundUsage): TokenUsage {
  const usage: TokenUsage = { inputTokens: round.promptTokens, outputTokens: round.completionTokens };
  for (const unit of roundUnits) usage[unit.usage] = round[unit.record[0]] ?? 0;
  for (const unit of promptParts) usage.inputTokens -= usage[unit.usage] ?? 0;
  return usage;
}
