import type { MessagesEvent, WireUsage } from '../../messages/types.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { firstCount } from '../translated/usage.ts';

/** Names of counts, in usage and in Bedrock's metrics. As in the Messages API, the input excludes cached tokens. */
const counts = [
  ['input_tokens', 'inputTokenCount'],
  ['output_tokens', 'outputTokenCount'],
  ['cache_read_input_tokens', 'cacheReadInputTokenCount'],
  ['cache_creation_input_tokens', 'cacheWriteInputTokenCount'],
] as const;

/** Finds counts that only the last event of a stream reports (https://github.com/BerriAI/litellm/pull/36878). */
export class LateUsage {
  readonly #known: Partial<Record<(typeof counts)[number][0], number>> = {};

  /** Returns the usage in the last event, with the known input, if it has a count that no earlier event has. */
  newIn(event: MessagesEvent): WireUsage | undefined {
    if (event.type === 'message_start') this.#note(recordOrEmpty(event.message)['usage']);
    else if (event.type === 'message_delta') this.#note(event.usage);
    if (event.type !== 'message_stop') return undefined;
    const { usage, 'amazon-bedrock-invocationMetrics': metrics } = recordOrEmpty(event);
    const [reported, measured] = [recordOrEmpty(usage), recordOrEmpty(metrics)];
    const late = counts.map(([name, metric]) => [name, firstCount(reported[name], measured[metric])] as const);
    const news = late.filter(([name, count]) => count && !this.#known[name]);
    return news.length === 0 ? undefined : { ...this.#known, ...Object.fromEntries(news) };
  }

  #note(usage: unknown): void {
    const reported = recordOrEmpty(usage);
    for (const [name] of counts) {
      const count = firstCount(reported[name]);
      if (count) this.#known[name] = count;
    }
  }
}
