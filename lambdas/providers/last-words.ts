/** The longest wait for an answer that has said how it ends, whether it is silent or goes on. */
const LAST_WORDS_MS = 5_000;

/**
 * The chunks of a body; once its answer has said how it ends, only those of the next seconds. A body that is still
 * silent then is abandoned: the code that opened it closes its connection.
 * @param isClosing - asked after each chunk has been read
 */
export async function* withLastWords(
  body: AsyncIterable<Buffer>,
  isClosing: () => boolean,
): AsyncGenerator<Buffer, void> {
  const chunks = body[Symbol.asyncIterator]();
  let deadline: Deadline | undefined;
  try {
    for (;;) {
      const next = await (deadline ? Promise.race([chunks.next(), deadline.passed]) : chunks.next());
      if (!next || next.done) return;
      yield next.value;
      if (isClosing()) deadline ??= startDeadline(LAST_WORDS_MS);
      if (deadline?.hasPassed()) return;
    }
  } finally {
    deadline?.cancel();
    // A generator that waits for its source answers `return` only after the source has sent something.
    void Promise.resolve(chunks.return?.()).catch(() => {});
  }
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
