import { LeftOutEndpoints } from '../../routing/left-out.ts';
import type { VideoBody } from '../videos/request.ts';
import { routeVideo } from '../videos/routed-video.ts';
import { askedForVideo, videoTerms } from '../videos/start.ts';
import { estimateOf, foreseeInference, type Estimate, type EstimateInput } from './estimate.ts';

/** Estimates a video, whose price is known exactly. @throws {GatewayError} what it is refused with before its hold */
export async function estimateVideo(input: EstimateInput<VideoBody>): Promise<Estimate> {
  const leftOut = new LeftOutEndpoints();
  const routed = await routeVideo(input.body, input, leftOut.add);
  const terms = videoTerms(routed);
  const foreseen = await foreseeInference(input, terms);
  const { amount } = foreseen.tried.plan;
  const costs = askedForVideo(routed.candidates, leftOut.add).map((candidate) => ({
    ...candidate,
    least: amount,
    input: amount,
    most: amount,
  }));
  return estimateOf(foreseen, terms.estimatedTokens, costs, leftOut);
}
