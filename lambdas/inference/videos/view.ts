import type { Money } from '../../money/money.ts';
import type { EndState, ProviderJob } from '../../store/generations/provider-jobs.ts';

/** A video job in the form for its client. Absent fields are omitted, because clients do not expect null. */
export interface VideoView {
  id: string;
  generation_id: string;
  polling_url: string;
  status: 'pending' | 'in_progress' | EndState;
  unsigned_urls?: string[];
  usage?: { cost: Money; is_byok: false };
  error?: string;
}

/**
 * Builds the public form of a job.
 * @param cost undefined until the video is settled
 */
export function videoView(job: ProviderJob, cost: Money | undefined): VideoView {
  const { id, state, error } = job;
  const pollingUrl = `${job.baseUrl}/videos/${id}`;
  return {
    id,
    generation_id: id,
    polling_url: pollingUrl,
    status: state === 'submitted' || state === 'storing' ? 'in_progress' : state,
    ...(state === 'completed'
      ? { unsigned_urls: job.files.map((_, index) => `${pollingUrl}/content?index=${index}`) }
      : {}),
    ...(cost ? { usage: { cost, is_byok: false } } : {}),
    ...(error === undefined ? {} : { error }),
  };
}
