import type { WireUsage } from './types.ts';

/** A number of tokens is a whole number from 0 on; any other value in its place does not count. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const countFields = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** A usage as clients may see it: without invalid counts, which would crash many of them. */
export function withSoundCounts(usage: unknown): WireUsage {
  const sound: WireUsage = typeof usage === 'object' && usage !== null && !Array.isArray(usage) ? { ...usage } : {};
  for (const field of countFields) if (sound[field] !== null && !isCount(sound[field])) delete sound[field];
  return sound;
}

/** Whether all counts of a usage are counts, or null. */
export function hasSoundCounts(usage: Record<string, unknown>): boolean {
  return countFields.every((field) => usage[field] == null || isCount(usage[field]));
}

/** The syntax of a call is billed beside its name and arguments: some dozens of tokens that are never shown. */
export const CALL_OVERHEAD_BYTES = 64;

/** The parts of a prompt as the Messages API counts them: caches apart from the rest. What is undefined is not reported. */
export interface PromptCounts {
  input?: number | undefined;
  cacheRead?: number | undefined;
  cacheWritten?: number | undefined;
}

/**
 * The prompt after a later report of it. The last report counts, because providers correct themselves, also downwards; what
 * it leaves out stays as it was. Imitations are read as they are meant: a zero after a number says nothing, and caches that
 * are told without an input, or an input that is told without caches, may have the other in it.
 *
 * Guarantee: what comes out does not change when the same report is joined to it again.
 */
export function laterPrompt(known: PromptCounts, later: PromptCounts): PromptCounts {
  const [knownCaches, caches] = [cachesOf(known), cachesOf(later)];
  if (later.input === undefined) {
    const wasInside = knownCaches === 0 && known.input !== undefined && known.input >= caches;
    return { ...cachesAfter(known, later), input: wasInside ? known.input! - caches : known.input };
  }
  if (caches > 0 || knownCaches === 0) return promptSize(later) === 0 ? { ...later, ...known } : later;
  const isWhole = later.input >= promptSize(known);
  const tellsCaches = later.cacheRead !== undefined || later.cacheWritten !== undefined;
  if (isWhole && tellsCaches) return later;
  return { ...cachesAfter(known, later), input: isWhole ? later.input - knownCaches : later.input || known.input };
}

function promptSize(prompt: PromptCounts): number {
  return (prompt.input ?? 0) + cachesOf(prompt);
}

function cachesOf({ cacheRead = 0, cacheWritten = 0 }: PromptCounts): number {
  return cacheRead + cacheWritten;
}

/** The later number of each cache, unless it is a zero after a number. */
function cachesAfter(known: PromptCounts, later: PromptCounts): PromptCounts {
  return {
    cacheRead: later.cacheRead || (known.cacheRead ?? later.cacheRead),
    cacheWritten: later.cacheWritten || (known.cacheWritten ?? later.cacheWritten),
  };
}
