import type { Admitted } from '../../admission/admit.ts';
import { abortBecause } from '../abort.ts';
import type { Dispatched } from './dispatch.ts';

/**
 * An answer that has begun, when its generation is recorded as well. Where that fails, the provider's work is ended, and nothing of it goes out.
 * @throws {Error} of the record, or of the dispatch
 */
export async function onceRecorded(
  dispatched: Promise<Dispatched>,
  { recording, recorded }: Pick<Admitted, 'recording' | 'recorded'>,
  abort: AbortController,
): Promise<Dispatched> {
  if (!recorded) return dispatched;
  // The provider's work costs money while the release takes its time.
  recording?.catch(() => abortBecause(abort, 'ended'));
  const [answer, record] = await Promise.allSettled([dispatched, recorded]);
  if (record.status === 'rejected') {
    if (answer.status === 'fulfilled') await answer.value.batches.return();
    throw record.reason;
  }
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}
