import { ExclusionList } from '../../routing/exclusions.ts';
import type { VideoBody } from './request.ts';
import { routeVideo } from './routed-video.ts';
import { requestedCandidates } from '../jobs/start.ts';
import { videoTerms } from './terms.ts';
import { estimateOf, previewInference, type Estimate, type EstimateInput } from '../estimates/estimate.ts';

/**
 * Estimates the cost of a video, which depends only on the request.
 * @throws {GatewayError} for the reasons for which a real video request is refused before its hold; 401 or 403 for a
 *   caller that may not spend
 */
export async function estimateVideo(input: EstimateInput<VideoBody>): Promise<Estimate> {
  const exclusions = new ExclusionList();
  const routed = await routeVideo(input.body, input, exclusions.add);
  const terms = videoTerms(routed);
  const preview = await previewInference(input, terms);
  const { amount } = preview.tried.plan;
  const costs = requestedCandidates(routed.candidates, exclusions.add).map((candidate) => ({
    ...candidate,
    least: amount,
    input: amount,
    most: amount,
  }));
  return estimateOf(preview, terms.prompt.inputTokens, costs, exclusions);
}
