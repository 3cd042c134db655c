import type { Interval } from '../money/periods.ts';
import { isTagKind } from '../store/counters/tag-scopes.ts';
import { consoleUrl, minuteText, roundedRub, withLink, type Notice } from './notice.ts';
import type { ScopeName } from './scope-names.ts';
import type { SpendingRate } from './spending-rate.ts';
import type { Crossing } from './thresholds.ts';

/** Returns the notice about a crossed threshold of a limit, or about a hold that the limit has refused. */
export function limitNotice(
  crossing: Crossing,
  { name, page }: ScopeName,
  { rate, baseUrl }: { rate: SpendingRate; baseUrl: string | undefined },
): Notice {
  const { scope, interval, window, threshold, spent, limit, refused } = crossing;
  const isExhausted = threshold === 100;
  const kind = isTagKind(scope.kind) ? 'tag' : scope.kind;
  const limited = `${interval} ${scope.kind === 'key' || scope.kind === 'account' ? 'limit' : 'budget'}`;
  const [event, sentence] = refused
    ? [
        `a ${limited} of a ${kind} has refused a request`,
        `The ${limited} of the ${name} has refused a request that needs ${refused} RUB.`,
      ]
    : isExhausted
      ? [`a ${limited} of a ${kind} is exhausted`, `The ${name} has exhausted its ${limited}: requests are refused.`]
      : [
          `a ${kind} has used ${threshold} % of its ${limited}`,
          `The ${name} has used ${threshold} % of its ${limited}.`,
        ];
  const notice: Notice = {
    type: isExhausted ? 'alert.limit.exhausted' : 'alert.limit.threshold',
    subject: `Model gateway: ${event}`,
    lines: [
      sentence,
      `Spent: ${roundedRub(spent)} of ${roundedRub(limit)}.`,
      ...rateLines(rate, isExhausted && !refused),
      ...(rate.endsAtMs === null ? [] : [`The ${periodNames[interval]} ends at ${minuteText(rate.endsAtMs)}.`]),
    ],
    data: {
      scope: scope.kind,
      id: scope.id,
      name,
      interval,
      window,
      threshold_percent: threshold,
      spent_rub: spent,
      limit_rub: limit,
      refused_rub: refused ?? null,
      ...rateFacts(rate),
      resets_at: rate.endsAtMs === null ? null : new Date(rate.endsAtMs).toISOString(),
    },
  };
  return withLink(notice, consoleUrl(baseUrl, page));
}

const periodNames: Record<Interval, string> = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  lifetime: 'lifetime',
};

export function rateLines({ hourly, exhaustedAtMs }: SpendingRate, isExhausted: boolean): string[] {
  const perHour = `Spending per hour: ${roundedRub(hourly)}.`;
  if (isExhausted || exhaustedAtMs === undefined) return [perHour];
  return [perHour, `At this rate, the money is used up at about ${minuteText(exhaustedAtMs)}.`];
}

export function rateFacts({ hourly, exhaustedAtMs }: SpendingRate): Record<string, unknown> {
  return {
    hourly_rate_rub: hourly,
    exhausted_at: exhaustedAtMs === undefined ? null : new Date(exhaustedAtMs).toISOString(),
  };
}
