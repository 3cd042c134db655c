/** Where the reader was in each entry of the tab's history, so that Back leads to the same place. */

import type { FoundRequests } from './request-search.ts';
import { newChangeName } from './gateway-client.ts';

interface Visit {
  scrollY: number;
  /** The list of requests as it was read, by its path: newer requests do not push it away meanwhile. */
  requests: Map<string, FoundRequests>;
}

const visits = new Map<string, Visit>();

/** The entry of the history that is shown, by a name of its own. */
let entry = nameEntry();

/** The page may need several answers until it is as long as it was. */
const MAX_RESTORE_MS = 10_000;

/** Called when the address has changed, before the page of the new address is drawn. */
export function changeVisit(): void {
  currentVisit().scrollY = scrollY;
  entry = nameEntry();
}

export function currentVisit(): Visit {
  const known = visits.get(entry) ?? { scrollY: 0, requests: new Map<string, FoundRequests>() };
  visits.set(entry, known);
  return known;
}

/**
 * Scrolls to the place of the visit as soon as the page is long enough: the beginning for a new one.
 * @returns stops it; so does the reader who scrolls
 */
export function restorePlace(page: HTMLElement): () => void {
  const { scrollY: top } = currentVisit();
  const given = new AbortController();
  const stop = () => given.abort();
  const watcher = new ResizeObserver(() => {
    scrollTo(0, top);
    if (scrollY >= top - 1) stop();
  });
  given.signal.addEventListener('abort', () => watcher.disconnect());
  for (const act of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(act, stop, { signal: given.signal, passive: true });
  setTimeout(stop, MAX_RESTORE_MS);
  watcher.observe(page);
  return stop;
}

function nameEntry(): string {
  const known = (history.state as { entry?: string } | null)?.entry;
  if (known !== undefined) return known;
  const name = newChangeName();
  history.replaceState({ entry: name }, '');
  return name;
}
