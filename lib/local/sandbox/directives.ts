/** Directives in the line "@sandbox …" of a prompt, which control the sandbox's answer (docs/sandbox.md). */

const usageFaultNames = ['none', 'late', 'twice'] as const;
const emptyArguments = ['empty', 'null', 'none'] as const;

export interface Directives {
  /** Number of text pieces; undefined for the default reply. */
  tokens: number | undefined;
  /** Delay between pieces of the answer. */
  delayMs: number;
  /** Delay before the first byte of the answer. */
  firstMs: number;
  think: boolean;
  /** Number of tool calls. */
  tools: number;
  /** Number of parallel searches; undefined if it depends on the tools and the other directives. */
  searches: number | undefined;
  /** Number of consecutive searches. */
  searchRounds: number;
  /** HTTP status of an error instead of an answer. */
  error: number | undefined;
  retryAfterSeconds: number | undefined;
  hang: boolean;
  /**
   * Number of pieces before a fault: `breakAt` closes the connection, `resetAt` resets it, `stallAt` sends nothing
   * more, and `failAt` sends an error in the stream.
   */
  breakAt: number | undefined;
  resetAt: number | undefined;
  stallAt: number | undefined;
  failAt: number | undefined;
  /**
   * Index of an output piece that invalid bytes precede (`garbageAt`), or that is replaced by null (`nullAt`) or a
   * number (`numberAt`). In answers without a stream, only the presence of an index counts.
   */
  garbageAt: number | undefined;
  nullAt: number | undefined;
  numberAt: number | undefined;
  cut: boolean;
  /** Whether the pieces of different blocks alternate. */
  interleave: boolean;
  /** Whether every block or call gets index 0. */
  sameIndex: boolean;
  /** Replaces the arguments of tool calls by an empty text or null, or removes them. */
  arguments: (typeof emptyArguments)[number] | undefined;
  usage: (typeof usageFaultNames)[number] | undefined;
  /** Prompt tokens that are reported as read from a cache. */
  cachedTokens: number;
  /** Thinking tokens that are billed but not shown; undefined for the model's default. */
  hiddenReasoningTokens: number | undefined;
  refuse: boolean;
}

const DIRECTIVE_LINE = /@sandbox\b([^\n]*)/;
const DEFAULT_DELAY_MS = 10;
const DEFAULT_PIECES = 5;

/** Returns functions that look up the words of a prompt's directive line. */
export function parseDirectiveLine(prompt: string) {
  const words = (DIRECTIVE_LINE.exec(prompt)?.[1] ?? '').trim().split(/\s+/);
  const valueOf = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const number = (name: string) => {
    const value = Number(valueOf(name) ?? Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value : undefined;
  };
  return { has: (name: string) => words.includes(name), valueOf, number };
}

export function readDirectives(prompt: string): Directives {
  const { has, valueOf, number } = parseDirectiveLine(prompt);
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === valueOf(name));
  const at = (name: string) => number(name) ?? (has(name) ? DEFAULT_PIECES : undefined);
  return {
    tokens: number('tokens'),
    delayMs: number('delay') ?? DEFAULT_DELAY_MS,
    firstMs: number('first') ?? 0,
    think: has('think'),
    tools: number('tools') ?? (has('tool') ? 1 : 0),
    searches: number('search') ?? (has('search') ? 1 : undefined),
    searchRounds: number('searches') ?? 0,
    error: number('error'),
    retryAfterSeconds: number('retry-after'),
    hang: has('hang'),
    breakAt: at('break'),
    resetAt: at('reset'),
    stallAt: at('stall'),
    failAt: at('fail'),
    garbageAt: at('garbage'),
    nullAt: at('null'),
    numberAt: at('number'),
    cut: has('cut'),
    interleave: has('interleave'),
    sameIndex: has('same-index'),
    arguments: oneOf('arguments', emptyArguments),
    usage: oneOf('usage', usageFaultNames),
    cachedTokens: number('cached') ?? 0,
    hiddenReasoningTokens: number('hidden'),
    refuse: has('refuse'),
  };
}

export function withoutDirectives(prompt: string): string {
  return prompt.replace(DIRECTIVE_LINE, '');
}
