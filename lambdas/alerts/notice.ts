import { Money } from '../money/money.ts';

/** Message about one event of an account. It has no text of prompts or answers, and no secrets. */
export interface Notice {
  type: string;
  /** One line of ASCII, below 100 characters, which the subject of an e-mail through SNS may contain. */
  subject: string;
  lines: readonly string[];
  data: Record<string, unknown>;
}

const PICO_PER_KOPECK = 10n ** 10n;

/** Returns an amount in roubles and kopecks, rounded toward zero. */
export function roundedRub(amount: Money): string {
  const kopecks = amount.pico / PICO_PER_KOPECK;
  const magnitude = kopecks < 0n ? -kopecks : kopecks;
  return `${kopecks < 0n ? '-' : ''}${magnitude / 100n}.${String(magnitude % 100n).padStart(2, '0')} RUB`;
}

/** Returns the minute of a time, for example "2026-11-27 18:20 UTC". */
export function minuteText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns the URL of a page (the part after `#/`) of the console; undefined if the address of the API is unknown. */
export function consoleUrl(baseUrl: string | undefined, page: string): string | undefined {
  return baseUrl === undefined ? undefined : `${baseUrl}/console#/${page}`;
}

export function withLink(notice: Notice, url: string | undefined): Notice {
  return {
    ...notice,
    lines: url === undefined ? notice.lines : [...notice.lines, url],
    data: { ...notice.data, console_url: url ?? null },
  };
}
