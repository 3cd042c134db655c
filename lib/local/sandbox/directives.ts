/** What the line "@sandbox …" of a prompt asks for; docs/sandbox.md lists the words. Others are ignored. */

const usageFaultNames = ['none', 'late', 'twice'] as const;
const emptyArguments = ['empty', 'null', 'none'] as const;

export interface Directives {
  /** Number of text pieces; undefined: as the reply needs. */
  tokens: number | undefined;
  /** Milliseconds between pieces. */
  delayMs: number;
  /** Milliseconds before the first byte. */
  firstMs: number;
  think: boolean;
  /** How many tool calls to make. */
  tools: number;
  /** How many searches to make at once; undefined: as the tools suggest. */
  searches: number | undefined;
  /** How many searches to make one after the other. */
  searchRounds: number;
  /** HTTP status of a refusal before the first byte, and the seconds after which it says to try again. */
  error: number | undefined;
  retryAfterSeconds: number | undefined;
  /** The request is taken, and never answered. */
  hang: boolean;
  /** After how many pieces the connection is closed or reset, the stream goes silent, or an error is sent in it. */
  breakAt: number | undefined;
  resetAt: number | undefined;
  stallAt: number | undefined;
  failAt: number | undefined;
  /** After how many pieces there is something that is not of the wire, null, or a number, where a piece belongs. */
  garbageAt: number | undefined;
  nullAt: number | undefined;
  numberAt: number | undefined;
  /** Each event comes in two chunks. */
  cut: boolean;
  /** The pieces of all blocks come by turns. */
  interleave: boolean;
  /** All blocks, or all calls, have the index 0. */
  sameIndex: boolean;
  /** Arguments are an empty text, null, or not there. */
  arguments: (typeof emptyArguments)[number] | undefined;
  usage: (typeof usageFaultNames)[number] | undefined;
  /** Tokens of the prompt that are reported as read from a cache. */
  cachedTokens: number;
  /** Tokens of thinking that are billed and not shown; undefined: as the model does unasked. */
  hiddenReasoningTokens: number | undefined;
  refuse: boolean;
}

const DIRECTIVE_LINE = /@sandbox\b([^\n]*)/;
const DEFAULT_DELAY_MS = 10;
const DEFAULT_PIECES = 5;

/** Parses the line of directives into a reader of its words. */
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
