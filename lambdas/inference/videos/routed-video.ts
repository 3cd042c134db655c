import { modelCheckOf } from '../../admission/allowed-models.ts';
import { privacyOf, type InferenceCaller } from '../../admission/caller.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { protectNamedTexts } from '../../protection/named-texts.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { videoCandidates, type VideoCandidate } from '../../routing/video-candidates.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import { protectionOf } from '../protection-of.ts';
import { framesOf } from './frames.ts';
import type { VideoBody } from './request.ts';
import { ableTo, settingsFor } from './settings.ts';

interface RoutedVideo {
  /** The request as providers may receive it. */
  request: VideoRequest;
  /** Candidates in the order of attempts, at least one. */
  candidates: VideoCandidate[];
}

/**
 * Finds the candidates for a video, and builds the request for them. Fetches frames given as URLs.
 * @throws {GatewayError} the errors of `videoCandidates`; 400 for a prompt that protection refuses, a picture that
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
  const candidates = await videoCandidates(
    {
      catalog: await servedCatalog(),
      request: { model, messages: [{ role: 'user', content: prompt ?? '' }], ...(provider ? { provider } : {}) },
      check: modelCheckOf(caller),
    },
    { exclusionOf: privacyFilter(privacyOf(caller)), signals: endpointSignals(), promptTokens: 0, onExcluded },
  );
  const settings = settingsFor(body, candidates[0]!.model);
  const request = { prompt, frames: await framesOf(body.frame_images ?? [], clientLeft), ...settings };
  return { request, candidates: ableTo(candidates, request, onExcluded) };
}
