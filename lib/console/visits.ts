/**
 * Scroll positions and request lists, by entry of the tab's history, so that the Back button returns to the same
 * position.
 */

import type { FoundRequests } from './request-search.ts';
import { newChangeName } from './change-name.ts';

interface Visit {
  scrollY: number;
  /**
   * Lists of requests, by path. The Back button shows the stored list again, so that newer requests do not move its
   * rows.
   */
  requests: Map<string, FoundRequests>;
}

const visits = new Map<string, Visit>();

/** Id of the current history entry. */
let entry = nameEntry();

/**
 * Maximum time in ms for restoring the scroll position. In this time, the page grows to its former length as responses
 * arrive.
 */
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
 * Scrolls to the stored position of the current visit as soon as the page is long enough. A new visit starts at the
 * top.
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
