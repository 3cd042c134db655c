import { Money } from '../money/money.ts';

/** Message about one event of an account. It has no text of prompts or answers, and no secrets. */
export interface Notice {
  /** Type of the event, for example `alert.limit.threshold`. Programs read it. */
  type: string;
  /** One line in ASCII, because subjects of e-mails through SNS allow nothing else. */
  subject: string;
  /** Sentences for people, one in each line. */
  lines: readonly string[];
  /** Facts for programs. */
  data: Record<string, unknown>;
}

const PICO_PER_KOPECK = 10n ** 10n;

/** Returns an amount for people, in roubles and kopecks, rounded toward zero. */
export function roundedRub(amount: Money): string {
  const kopecks = amount.pico / PICO_PER_KOPECK;
  const magnitude = kopecks < 0n ? -kopecks : kopecks;
  return `${kopecks < 0n ? '-' : ''}${magnitude / 100n}.${String(magnitude % 100n).padStart(2, '0')} RUB`;
}

/** Returns a time for people: "2026-11-27 18:20 UTC". */
export function minuteText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Returns the URL of a page of the console; undefined if the address of the API is unknown.
 * @param page part after `#/`, for example `workspaces/01a1…`
 */
export function consoleUrl(baseUrl: string | undefined, page: string): string | undefined {
  return baseUrl === undefined ? undefined : `${baseUrl}/console#/${page}`;
}

/** Adds the link to the console to a notice, as a line and as a fact. */
export function withLink(notice: Notice, url: string | undefined): Notice {
  return {
    ...notice,
    lines: url === undefined ? notice.lines : [...notice.lines, url],
    data: { ...notice.data, console_url: url ?? null },
  };
}
