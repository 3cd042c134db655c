/** Converts models and endpoints to the API's format. Statistics that were not measured are null. */

import { isDeepStrictEqual } from 'node:util';
import { endpointTag, type Endpoint, type Model } from '../../catalog/catalog.ts';
import type { ModelData, Pricing, ServiceFree } from '../../catalog/schema.ts';
import { factsOf } from '../../catalog/wires.ts';
import { videoPriceChanges, videoPricesAt } from '../../catalog/video-options.ts';
import { Money } from '../../money/money.ts';
import { nowMs } from '../../platform/clock.ts';
import type { IsReady } from '../../routing/live-providers.ts';
import { availability } from '../parts/availability.ts';
import type { EndpointReport } from './endpoint-report.ts';
import type { IsLimited } from './free-capacity.ts';
import { inRoutingOrder } from './offer.ts';
import type { PriceChangeBody, PricingBody } from './prices/shape.ts';
import type { EndpointBody, ModelBody, ServiceFreeBody, VideoModelBody } from './shape.ts';

/**
 * Converts a model to the format of the API, with the price and the limits of its default route.
 * @param tried endpoints that the caller may use, in the order of attempts; default: all
 * @param isLimited whether a free model has used up today's budget
 * @param isReady whether an endpoint can be called
 */
export function modelView(
  model: Model,
  tried?: readonly Endpoint[],
  isLimited: IsLimited = () => false,
  isReady: IsReady = () => undefined,
): ModelBody {
  const { data } = model;
  const endpoints = tried ?? inRoutingOrder(model, model.endpoints, isReady);
  const [route] = endpoints;
  return {
    id: model.id,
    canonical_slug: data.permaslug,
    name: data.name,
    created: Date.parse(data.created) / 1000,
    ...(data.description === undefined ? {} : { description: data.description }),
    ...(model.aliasOf ? { alias_target: { slug: model.aliasOf.id, name: model.aliasOf.data.name } } : {}),
    ...icons(data, route),
    ...(data.hugging_face_id === undefined ? {} : { hugging_face_id: data.hugging_face_id }),
    ...(data.knowledge_cutoff === undefined ? {} : { knowledge_cutoff: data.knowledge_cutoff }),
    ...availability(model.data, endpoints, isReady),
    context_length: data.context_length ?? null,
    architecture: architecture(model),
    pricing: pricingView(route?.pricing),
    ...priceChangesView(data.video ? videoChanges(data.video) : changesOf(route)),
    ...(data.video ? { pricing_skus: videoPrices(data.video) } : {}),
    currency: 'RUB',
    ...(data.service_free ? { service_free: serviceFreeView(data.service_free, isLimited(data)) } : {}),
    top_provider: {
      context_length: route?.contextLength ?? null,
      max_completion_tokens: route?.maxOutputTokens ?? null,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: data.supported_parameters,
    default_parameters: defaultsView(data.default_parameters),
    supported_voices: null,
    links: { details: `/v1/models/${model.id}/endpoints` },
    // OpenAI's SDKs read `object` and `owned_by`. Clients of the Messages API read `type` and `display_name`.
    object: 'model',
    owned_by: model.id.slice(0, model.id.indexOf('/')),
    type: 'model',
    display_name: data.name,
  };
}

/** Returns the default parameters. For null, the provider's default applies. */
function defaultsView(defaults: ModelData['default_parameters'] = {}) {
  return {
    temperature: defaults.temperature ?? null,
    top_p: defaults.top_p ?? null,
    top_k: defaults.top_k ?? null,
    frequency_penalty: defaults.frequency_penalty ?? null,
    presence_penalty: defaults.presence_penalty ?? null,
    repetition_penalty: defaults.repetition_penalty ?? null,
  };
}

/** Returns the icons of a model. A model without `icon_url` has the icon of its default route's provider. */
function icons({ id, icon_url: own, icon_id: name, custom_icon_url: custom }: ModelData, route: Endpoint | undefined) {
  const url = own ?? route?.provider.data.icon_url;
  return {
    ...(url === undefined ? {} : { icon_url: url }),
    icon_id: name ?? id.slice(0, id.indexOf('/')),
    ...(custom === undefined ? {} : { custom_icon_url: custom }),
  };
}

function serviceFreeView(terms: ServiceFree, isLimited: boolean): ServiceFreeBody {
  return { ...withTexts(terms), temporarily_capacity_limited: isLimited };
}

/** Returns first the endpoints that may be tried, in the order of attempts, and then all others. */
export function endpointViews(model: Model, doing: EndpointReport): EndpointBody[] {
  const tried: Endpoint[] = inRoutingOrder(model, model.endpoints, doing.isReady);
  const others = model.endpoints.filter((endpoint) => !tried.includes(endpoint));
  return [...tried, ...others].map((endpoint) => endpointView(model, endpoint, doing));
}

export function endpointView(model: Model, endpoint: Endpoint, doing: EndpointReport): EndpointBody {
  const statistics = doing.statisticsOf(endpoint.id);
  const isFailing = doing.isFailing(endpoint.id);
  const { dataPolicy: policy } = endpoint;
  return {
    name: `${endpoint.provider.name} | ${model.id}`,
    endpoint_id: endpoint.id,
    model_id: model.id,
    model_name: model.data.name,
    provider_name: endpoint.provider.name,
    available: doing.isReady(endpoint) ?? null,
    tag: endpointTag(endpoint),
    context_length: endpoint.contextLength ?? 0,
    max_completion_tokens: endpoint.maxOutputTokens ?? null,
    max_prompt_tokens: null,
    quantization: endpoint.data.quantization ?? null,
    pricing: pricingView(endpoint.pricing),
    ...priceChangesView(changesOf(endpoint)),
    supported_parameters: [...endpoint.supportedParameters],
    supports_implicit_caching:
      endpoint.pricing?.input_cache_read !== undefined &&
      factsOf(endpoint.wire).messages?.implicitCaching(endpoint.quirks) !== false,
    supports_tool_choice: toolChoiceView(model),
    supports_voice_cloning: false,
    data_policy: {
      logs_prompts: policy.logs_prompts,
      trains_on_prompts: policy.trains_on_prompts,
      retention_days: policy.retention_days ?? null,
    },
    ...(isFailing === undefined ? {} : { status: isFailing ? -1 : 0 }),
    uptime_last_5m: statistics?.uptimePercent.last5m ?? null,
    uptime_last_30m: statistics?.uptimePercent.last30m ?? null,
    uptime_last_1d: statistics?.uptimePercent.last1d ?? null,
    latency_last_30m: statistics?.latencyMs ?? null,
    throughput_last_30m: statistics?.throughput ?? null,
  };
}

export function videoModelView(model: Model, isReady: IsReady): VideoModelBody {
  const video = model.data.video!;
  const shown = modelView(model, undefined, undefined, isReady);
  return {
    ...shown,
    pricing: withoutFreeTokens(shown.pricing),
    pricing_skus: videoPrices(video),
    allowed_passthrough_parameters: [],
    supported_durations: video.durations,
    supported_resolutions: video.resolutions,
    supported_aspect_ratios: video.aspect_ratios,
    supported_sizes: null,
    supported_frame_images: video.frame_images ?? null,
    generate_audio: null,
    seed: null,
    creativity: null,
    upscale_factor: null,
  };
}

/**
 * Removes token prices of 0, which would make a model that is billed by the second look free. Lists of all modalities
 * keep them, because clients' validators require both prices.
 */
function withoutFreeTokens({ prompt, completion, ...others }: PricingBody): PricingBody {
  return { ...(prompt === '0' ? {} : { prompt }), ...(completion === '0' ? {} : { completion }), ...others };
}

/** Prices that apply from a certain time on. */
interface PriceChange {
  atMs: number;
  prices: Omit<PriceChangeBody, 'valid_from'>;
}

/** Returns the changes of the client's prices. Changes of only the operator's cost are omitted. */
function changesOf(endpoint: Endpoint | undefined): PriceChange[] {
  const periods = endpoint?.periods ?? [];
  return periods
    .map(({ fromMs, pricing }) => ({ atMs: fromMs, prices: { pricing: pricing ? pricingView(pricing) : null } }))
    .filter(({ prices }, index, all) => !isDeepStrictEqual(prices, all[index - 1]?.prices));
}

function videoChanges(video: NonNullable<ModelData['video']>): PriceChange[] {
  return videoPriceChanges(video).map((atMs) => ({ atMs, prices: { pricing_skus: videoPrices(video, atMs) } }));
}

function priceChangesView(changes: PriceChange[]): Pick<ModelBody, 'price_changes'> {
  const coming = changes.filter(({ atMs }) => atMs > nowMs());
  if (coming.length === 0) return {};
  return { price_changes: coming.map(({ atMs, prices }) => ({ valid_from: new Date(atMs).toISOString(), ...prices })) };
}

function videoPrices(video: NonNullable<ModelData['video']>, atMs: number = nowMs()): Record<string, string> {
  const entries = Object.entries(videoPricesAt(video, atMs));
  return Object.fromEntries(entries.map(([resolution, price]) => [`per-video-second-${resolution}`, price.toString()]));
}

/** Returns the prices as decimal strings of RUB per unit. An unknown price is omitted, and a free unit is "0". */
function pricingView(pricing: Pricing | undefined): PricingBody {
  return pricing ? withTexts(pricing) : {};
}

/** A value with each amount of money as a decimal string. */
type WithTexts<Value> = Value extends Money
  ? string
  : Value extends object
    ? { [Field in keyof Value]: WithTexts<Value[Field]> }
    : Value;

function withTexts<Value extends object>(value: Value): WithTexts<Value> {
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    field instanceof Money ? field.toString() : Array.isArray(field) ? field.map(withTexts) : field,
  ]);
  return Object.fromEntries(entries) as WithTexts<Value>;
}

function architecture({ data }: Model): ModelBody['architecture'] {
  return {
    input_modalities: data.input_modalities,
    output_modalities: data.output_modalities,
    modality: `${data.input_modalities.join('+')}->${data.output_modalities.join('+')}`,
    tokenizer: 'Other',
    instruct_type: null,
  };
}

function toolChoiceView({ data }: Model): EndpointBody['supports_tool_choice'] {
  const tools = data.supported_parameters.includes('tools');
  return { auto: tools, none: tools, required: tools, function: tools };
}
