import type { WireUsage } from '../../messages/types.ts';
import { firstCount } from '../translated/usage.ts';

/** Returns the reported usage; undefined if the provider reports neither search units nor tokens. */
export function rerankUsage(searchUnits: unknown, ...tokenCounts: unknown[]): WireUsage | undefined {
  const tokens = firstCount(...tokenCounts);
  if (typeof searchUnits !== 'number' && tokens === undefined) return undefined;
  return { search_units: searchUnits, input_tokens: tokens ?? null, output_tokens: 0 };
}
