import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<Value> {
  /** The last that was read; it stays while it is read again. */
  value: Value | undefined;
  failure: unknown;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Reads something, and again when what it depends on changes; with `everyMs` also that long after each answer, while the tab is visible and
 * `goesOn` returns true for the last value. A slow answer is waited for. An answer to an older question is not shown.
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
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      if (everyMs !== undefined) timer = setTimeout(next, everyMs);
    };
    const read = async () => {
      try {
        const value = await load(signal);
        if (signal.aborted) return;
        setState({ value, failure: undefined, isLoading: false });
        if (goesOn(value)) wait();
      } catch (failure) {
        if (signal.aborted) return;
        setState(({ value }) => ({ value, failure, isLoading: false }));
        wait();
      }
    };
    const next = () => {
      if (document.visibilityState === 'visible') void read();
      else wait();
    };
    void read();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [...dependencies, everyMs, turn]);
  return { ...state, reload: useCallback(() => setTurn((last) => last + 1), []) };
}
