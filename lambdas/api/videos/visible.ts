import type { InferenceCaller } from '../../admission/caller.ts';
import { notFound } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import type { Generation } from '../../store/generations/generation.ts';
import { readJobAndGeneration, type ProviderJob } from '../../store/generations/provider-jobs.ts';
import { isVisible } from '../parts/visible.ts';

/**
 * Returns a video that the caller may read.
 * @throws {GatewayError} 404 for a video that the caller may not read, whether or not it exists
 */
export async function visibleVideo(
  id: string,
  caller: InferenceCaller,
): Promise<{ job: ProviderJob; generation: Generation }> {
  const isId = generationTimeMs(id) !== undefined;
  const video = isId ? await readJobAndGeneration(resources.table(), caller.account.id, id) : undefined;
  if (video && isVisible(video.generation, caller)) return video;
  throw notFound('There is no video with this id. Use the id in the answer of POST /videos.');
}
