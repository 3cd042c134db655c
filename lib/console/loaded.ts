import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<Value> {
  /** The last that was read; it stays while it is read again. */
  value: Value | undefined;
  failure: unknown;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Reads something, and again when what it depends on changes; with `everyMs` from time to time as well, while the tab is looked at and `goesOn` says so of what was read last.
 * An answer to an older question is not shown.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
  everyMs?: number,
  goesOn: (value: Value) => boolean = () => true,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: undefined,
    failure: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    setState({ value: undefined, failure: undefined, isLoading: true });
  }, dependencies);
  useEffect(() => {
    const leaving = new AbortController();
    load(leaving.signal).then(
      (value) => leaving.signal.aborted || setState({ value, failure: undefined, isLoading: false }),
      (failure: unknown) => leaving.signal.aborted || setState(({ value }) => ({ value, failure, isLoading: false })),
    );
    return () => leaving.abort();
  }, [...dependencies, turn]);
  const isOver = state.value !== undefined && !goesOn(state.value);
  useEffect(() => {
    if (everyMs === undefined || isOver) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setTurn((last) => last + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOver, ...dependencies]);
  return { ...state, reload: useCallback(() => setTurn((last) => last + 1), []) };
}
