import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<Value> {
  /** A reload keeps the value; a change of the dependencies removes it. */
  value: Value | undefined;
  failure: unknown;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Loads a value, and loads it again when its dependencies change. With `everyMs`, also loads it again `everyMs` after
 * each response, while the tab is visible, until `goesOn` returns false. Responses to outdated requests are ignored.
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
