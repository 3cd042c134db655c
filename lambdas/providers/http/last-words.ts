import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';

/** Maximum time for reading after the stop reason, or after the last output that follows it. */
const LAST_WORDS_MS = 5_000;

/**
 * Iterates over a body, which ends LAST_WORDS_MS after the stop reason at the latest, as if it were complete. The time
 * restarts if `closing` changes, because Gemini sends output after some stop reasons.
 * @param closing returns false before the stop reason, and later a value that changes with each output
 */
export function withTrailingTimeout(
  body: AsyncIterable<Buffer>,
  closing: () => boolean | number,
): PullIterator<Buffer> {
  const chunks: AsyncIterator<Buffer, void> = body[Symbol.asyncIterator]();
  let deadline: Deadline | undefined;
  let known: boolean | number = false;
  let isLeft = false;

  function leave(): IteratorResult<Buffer, void> {
    isLeft = true;
    deadline?.cancel();
    // If a generator waits for its source, its `return` may never settle, so it is not awaited.
    void Promise.resolve(chunks.return?.()).catch(() => {});
    return { done: true, value: undefined };
  }

  async function lastWord(wait: Deadline): Promise<IteratorResult<Buffer, void>> {
    try {
      const next = wait.hasPassed() ? undefined : await Promise.race([chunks.next(), wait.passed]);
      return !next || next.done ? leave() : next;
    } catch (error) {
      wait.cancel();
      throw error;
    }
  }

  return {
    next() {
      if (isLeft) return Promise.resolve({ done: true, value: undefined });
      const state = closing();
      if (state !== known) {
        deadline?.cancel();
        deadline = state === false ? undefined : startDeadline(LAST_WORDS_MS);
        known = state;
      }
      return deadline ? lastWord(deadline) : chunks.next();
    },
    return: async () => leave(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface Deadline {
  passed: Promise<undefined>;
  hasPassed(): boolean;
  cancel(): void;
}

function startDeadline(ms: number): Deadline {
  const { promise: passed, resolve } = Promise.withResolvers<undefined>();
  const endMs = performance.now() + ms;
  const timer = setTimeout(() => resolve(undefined), ms);
  return { passed, hasPassed: () => performance.now() >= endMs, cancel: () => clearTimeout(timer) };
}
