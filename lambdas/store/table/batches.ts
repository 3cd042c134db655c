import { DEFAULT_ATTEMPTS, pauseAfter, StoreBusyError } from './transact.ts';

/**
 * Processes any number of elements, batch after batch. Elements that DynamoDB did not process are retried with
 * back-off.
 * @param work processes a batch, and resolves with the elements that were not processed
 * @throws {StoreBusyError} after DEFAULT_ATTEMPTS consecutive attempts without progress; earlier elements stay
 *   processed. Errors of `work` are not caught.
 */
export async function inBatches<Part>(
  parts: readonly Part[],
  size: number,
  work: (batch: Part[]) => Promise<Part[]>,
): Promise<void> {
  let left = parts;
  let incomplete = 0;
  let fruitless = 0;
  while (left.length > 0) {
    const batch = left.slice(0, size);
    const undone = await work(batch);
    left = [...undone, ...left.slice(size)];
    fruitless = undone.length < batch.length ? 0 : fruitless + 1;
    if (fruitless >= DEFAULT_ATTEMPTS) throw new StoreBusyError();
    incomplete = undone.length === 0 ? 0 : incomplete + 1;
    if (incomplete > 0) await pauseAfter(incomplete);
  }
}
