import { planSpending, type SpendingPlan } from '../../admission/spending-plan.ts';
import type { Model } from '../../catalog/catalog.ts';
import type { Pricing } from '../../catalog/schema.ts';
import { videoPricesAt } from '../../catalog/video-options.ts';
import { Money } from '../../money/money.ts';
import { nowMs } from '../../platform/clock.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { HoldTerms } from '../hold-inference.ts';
import { JOB_SWEPT_AFTER_MS } from '../jobs/start.ts';
import type { RoutedVideo } from './routed-video.ts';

/** Returns the terms of a video's hold, which covers the whole price. */
export function videoTerms({ candidates: [first], request }: RoutedVideo): HoldTerms {
  const pricing = pricingOf(first!.model, request);
  return {
    apiType: 'video',
    streamed: false,
    prompt: { inputTokens: 0 },
    candidate: { ...first!, pricing },
    plan: videoPlan(pricing, request),
    sweptAfterMs: JOB_SWEPT_AFTER_MS,
  };
}

/**
 * Returns the plan of a video's hold. The price depends only on the seconds and the resolution, so the plan is exact.
 */
function videoPlan(pricing: Pricing, { durationSeconds }: VideoRequest): SpendingPlan {
  const bound = { promptTokens: 0, outputTokens: 0, cacheWrites: 'none', videoSeconds: durationSeconds } as const;
  return planSpending([{ pricing, bound, hiddenReasoningTokens: 0, beyondMaxTokens: 0 }], 0);
}

/**
 * Returns the price of a video for the record: only its seconds have a price. A video that is accepted now has this
 * price until its end.
 */
function pricingOf({ data }: Model, { resolution }: Pick<VideoRequest, 'resolution'>): Pricing {
  const price = videoPricesAt(data.video!, nowMs())[resolution]!;
  return { prompt: Money.zero, completion: Money.zero, video_second: price };
}
