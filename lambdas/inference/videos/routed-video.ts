import { modelCheckOf } from '../../admission/allowed-models.ts';
import { privacyOf, type InferenceCaller } from '../../admission/caller.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { protectNamedTexts } from '../../protection/named-texts.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import { acceptedBy, type OnExcluded } from '../../routing/exclusions.ts';
import { jobCandidates, type JobCandidate } from '../../routing/job-candidates.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import { protectionOf } from '../protection-of.ts';
import { framesOf } from './frames.ts';
import type { VideoBody } from './request.ts';
import { settingsFor } from './settings.ts';

export interface RoutedVideo {
  /** The request as providers may receive it. */
  request: VideoRequest;
  /** Candidates in the order of attempts, at least one. */
  candidates: JobCandidate[];
}

/**
 * Finds the candidates for a video, and builds the request for them. Fetches frames given as URLs.
 * @throws {GatewayError} the errors of `jobCandidates`; 400 for a prompt that protection refuses, a picture that
 *   cannot be read, or settings that no candidate supports
 */
export async function routeVideo(
  body: VideoBody,
  { caller, clientLeft }: { caller: InferenceCaller; clientLeft: AbortSignal | undefined },
  onExcluded?: OnExcluded,
): Promise<RoutedVideo> {
  const { model, provider } = body;
  const promptTexts = body.prompt ? [{ field: 'prompt', text: body.prompt }] : [];
  const [prompt] = await protectNamedTexts(promptTexts, protectionOf({ caller, clientLeft }));
  const candidates = await jobCandidates(
    {
      catalog: await servedCatalog(),
      request: { model, messages: [{ role: 'user', content: prompt ?? '' }], ...(provider ? { provider } : {}) },
      check: modelCheckOf(caller),
    },
    { exclusionOf: privacyFilter(privacyOf(caller)), signals: endpointSignals(), promptTokens: 0, onExcluded },
    'video',
  );
  const settings = settingsFor(body, candidates[0]!.model);
  const request = { prompt, frames: await framesOf(body.frame_images ?? [], clientLeft), ...settings };
  return { request, candidates: acceptedBy(candidates, (candidate) => ableTo(request, candidate), onExcluded) };
}

/**
 * Returns the candidate.
 * @throws {GatewayError} 400 if the candidate does not support a setting of the request
 */
function ableTo(request: VideoRequest, candidate: JobCandidate): JobCandidate {
  const objection = candidate.wire.objectionTo?.(request, candidate.target);
  if (objection) throw invalidRequest(objection.field, objection.message);
  return candidate;
}
