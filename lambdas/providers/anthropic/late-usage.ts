import type { MessagesEvent, WireUsage } from '../../messages/types.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

/** Names of counts, in usage and in Bedrock's metrics. As in the Messages API, the input excludes cached tokens. */
const counts = [
  ['input_tokens', 'inputTokenCount'],
  ['output_tokens', 'outputTokenCount'],
  ['cache_read_input_tokens', 'cacheReadInputTokenCount'],
  ['cache_creation_input_tokens', 'cacheWriteInputTokenCount'],
] as const;

/** Finds counts that only the last event of a stream reports (https://github.com/BerriAI/litellm/pull/36878). */
export class LateUsage {
  readonly #known: Record<string, unknown> = {};

  /** Returns the usage so far if the last event has a count that no earlier event has. */
  newIn(event: MessagesEvent): WireUsage | undefined {
    if (!event.type.startsWith('message_')) return undefined;
    const { message, usage, 'amazon-bedrock-invocationMetrics': metrics } = recordOrEmpty(event);
    const reported = recordOrEmpty(usage ?? recordOrEmpty(message)['usage']);
    let hasNews = false;
    for (const [name, metric] of counts) {
      const count = reported[name] || recordOrEmpty(metrics)[metric];
      if (!count) continue;
      hasNews ||= !this.#known[name];
      this.#known[name] = count;
    }
    return hasNews && event.type === 'message_stop' ? { ...this.#known } : undefined;
  }
}
