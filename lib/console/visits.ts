/** Scroll positions and request lists by entry of the tab's history, for the Back button. */

import type { FoundRequests } from './request-search.ts';
import { newChangeName } from './change-name.ts';

interface Visit {
  scrollY: number;
  /** Stored request lists by path, so that newer requests do not move their rows after the Back button. */
  requests: Map<string, FoundRequests>;
}

const visits = new Map<string, Visit>();

let entry = nameEntry();

/** Maximum time for restoring the position, while responses bring the page to its former length. */
const MAX_RESTORE_MS = 10_000;

/**
 * Stores the scroll position, and changes to the visit of the new history entry. Call it after the URL has changed,
 * before the new page is drawn.
 */
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
 * Scrolls to the stored position of the current visit as soon as the page is long enough.
 * @returns a function that stops the restoration; any input of the reader stops it as well
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
