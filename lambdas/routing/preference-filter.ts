/** Which endpoints fit what a request asks of them. */

import type { Endpoint, Model } from '../catalog/catalog.ts';
import { collectsData, retainsNothing } from '../catalog/data-policy.ts';
import type { Pricing } from '../catalog/schema.ts';
import { pricesFor } from '../catalog/tiers.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { outputFormat } from '../messages/output-format.ts';
import { Money } from '../money/money.ts';
import { isNamed } from './endpoint-names.ts';
import type { PreferenceReason } from './exclusions.ts';
import { leftOutFields } from './left-out.ts';
import type { Preferences } from './preferences.ts';

const PER_MILLION = 1_000_000;

/** What of a request decides whether an endpoint fits. */
export interface Preferred {
  message: MessagesRequest;
  /** Its probable size: the price may depend on it. */
  promptTokens: number;
}

/** The field of the preferences that an endpoint does not fit; undefined when it fits. */
export function misfitOf(
  model: Model,
  endpoint: Endpoint & { pricing: Pricing },
  preferences: Preferences,
  asked: Preferred,
): PreferenceReason | undefined {
  const { only, ignore, order, allow_fallbacks, quantizations, max_price } = preferences;
  const isIn = (names: readonly string[]) => names.some((name) => isNamed(endpoint, name));
  if (only && !isIn(only)) return 'only';
  if (ignore && isIn(ignore)) return 'ignore';
  if (order && allow_fallbacks === false && !isIn(order)) return 'order';
  if (quantizations && !quantizations.includes(endpoint.data.quantization ?? 'unknown')) return 'quantizations';
  if (preferences.data_collection === 'deny' && collectsData(endpoint.dataPolicy)) return 'data_collection';
  if (preferences.zdr && !retainsNothing(endpoint.dataPolicy)) return 'zdr';
  if (preferences.enforce_distillable_text && !model.data.distillable_text) return 'enforce_distillable_text';
  if (preferences.require_parameters && !supportsAll(endpoint, asked.message)) return 'require_parameters';
  if (max_price && isDearer(endpoint.pricing, max_price, asked.promptTokens)) return 'max_price';
  return undefined;
}

/** An endpoint without a price of its own for a unit does not charge for it. */
function isDearer(pricing: Pricing, most: NonNullable<Preferences['max_price']>, promptTokens: number): boolean {
  const { prompt, completion } = pricesFor(promptTokens, pricing);
  const { request = Money.zero, image = Money.zero } = pricing;
  const charged = {
    prompt: prompt.times(PER_MILLION),
    completion: completion.times(PER_MILLION),
    request,
    image,
    audio: Money.zero,
  };
  return Object.entries(charged).some(([unit, price]) => {
    const limit = most[unit as keyof typeof charged];
    return limit != null && price.exceeds(limit);
  });
}

/** The names that the catalog has for parameters of a request. */
function supportsAll(endpoint: Endpoint, message: MessagesRequest): boolean {
  const { supportedParameters: supported } = endpoint;
  const format = outputFormat(message);
  const needed: [boolean, string[]][] = [
    [message.max_tokens !== undefined, ['max_tokens', 'max_completion_tokens']],
    [message.stop_sequences !== undefined && message.stop_sequences.length > 0, ['stop']],
    [message.tools !== undefined && message.tools.length > 0, ['tools']],
    [message.tool_choice !== undefined, ['tool_choice']],
    [message.thinking !== undefined && message.thinking.type !== 'disabled', ['reasoning']],
    [format !== undefined, ['structured_outputs', 'response_format']],
    [message['logprobs'] === true, ['logprobs']],
  ];
  if (leftOutFields(message, endpoint).length > 0) return false;
  return needed.every(([isAsked, names]) => !isAsked || names.some((name) => supported.includes(name)));
}
