import type { InferenceCaller } from '../../admission/caller.ts';
import { notFound } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import type { Generation } from '../../store/generations/generation.ts';
import { readVideo, type VideoJob } from '../../store/generations/video-jobs.ts';
import { isVisible } from '../parts/visible.ts';

/**
 * Returns a video that the caller may read, with its generation.
 * @throws {GatewayError} 404 for any other video, whether or not it exists
 */
export async function visibleVideo(
  id: string,
  caller: InferenceCaller,
): Promise<{ job: VideoJob; generation: Generation }> {
  const isId = generationTimeMs(id) !== undefined;
  const video = isId ? await readVideo(resources.table(), caller.account.id, id) : undefined;
  if (video && isVisible(video.generation, caller)) return video;
  throw notFound('There is no video with this id. Use the id in the answer of POST /videos.');
}
