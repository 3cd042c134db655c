import type { Admitted } from '../../admission/admit.ts';
import { abortBecause } from '../abort.ts';
import type { Dispatched } from './dispatch.ts';

/**
 * Waits until an answer has begun and its generation is recorded. If recording fails, the client gets no part of the
 * answer.
 * @throws {Error} the error of the record or of the provider
 */
export async function onceRecorded(
  dispatched: Promise<Dispatched>,
  { recording, recorded }: Pick<Admitted, 'recording' | 'recorded'>,
  abort: AbortController,
): Promise<Dispatched> {
  if (!recorded) return dispatched;
  // If recording fails, aborts the request to the provider at once, because its work would cost money without a hold.
  recording?.catch(() => abortBecause(abort, 'ended'));
  const [answer, record] = await Promise.allSettled([dispatched, recorded]);
  if (record.status === 'rejected') {
    if (answer.status === 'fulfilled') await answer.value.batches.return();
    throw record.reason;
  }
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}
