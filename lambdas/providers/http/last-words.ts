import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';

/** Maximum wait for the end of a body after the stop reason, whether the body is silent or continues. */
const LAST_WORDS_MS = 5_000;

/**
 * The chunks of a body. After the stop reason, only chunks of the next seconds are read. A body that is still silent
 * then is abandoned, and the code that opened it closes its connection.
 * @param isClosing - called before the next chunk is requested, after all earlier chunks were read
 */
export function withTrailingTimeout(body: AsyncIterable<Buffer>, isClosing: () => boolean): PullIterator<Buffer> {
  const chunks: AsyncIterator<Buffer, void> = body[Symbol.asyncIterator]();
  let deadline: Deadline | undefined;

  function leave(): IteratorResult<Buffer, void> {
    deadline?.cancel();
    // A generator that waits for its source reacts to `return` only after the source has sent something. So this is not
    // awaited.
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
      if (isClosing()) deadline ??= startDeadline(LAST_WORDS_MS);
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
