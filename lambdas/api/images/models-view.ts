import { endpointTag, type Endpoint, type Model } from '../../catalog/catalog.ts';
import { MAX_IMAGES, type ImageOptions } from '../../catalog/image-options.ts';
import type { Money } from '../../money/money.ts';
import type { IsReady } from '../../routing/live-providers.ts';
import { availability } from '../parts/availability.ts';
import type { CapabilityBody, ImageEndpointBody, ImageModelBody, ImagePriceBody } from './shape.ts';

export function imageModelView(model: Model, isReady: IsReady): ImageModelBody {
  const { data } = model;
  const drawing = drawingEndpoints(model);
  const parameters = drawing.map(parametersOf);
  return {
    id: model.id,
    name: data.name,
    description: data.description ?? '',
    created: Date.parse(data.created) / 1_000,
    ...availability(data, drawing, isReady),
    architecture: { input_modalities: data.input_modalities, output_modalities: data.output_modalities },
    supported_parameters: Object.assign({}, ...parameters.toReversed()) as ImageModelBody['supported_parameters'],
    supports_streaming: drawing.some(sendsPartialImages),
    endpoints: `/v1/images/models/${model.id}/endpoints`,
  };
}

function sendsPartialImages({ data: { image } }: Endpoint): boolean {
  return image?.max_partial_images !== undefined;
}

/** Returns the endpoints that serve the image routes. They have settings for images. */
export function drawingEndpoints(model: Model): Endpoint[] {
  return (model.aliasOf ?? model).endpoints.filter(({ data }) => data.image);
}

export function imageEndpointView(endpoint: Endpoint): ImageEndpointBody {
  return {
    provider_name: endpoint.provider.name,
    provider_slug: endpoint.provider.id,
    provider_tag: endpointTag(endpoint),
    supported_parameters: parametersOf(endpoint),
    supports_streaming: sendsPartialImages(endpoint),
    allowed_passthrough_parameters: [],
    pricing: pricesOf(endpoint),
  };
}

const listed: readonly [field: string, option: keyof ImageOptions][] = [
  ['size', 'sizes'],
  ['aspect_ratio', 'aspect_ratios'],
  ['resolution', 'resolutions'],
  ['quality', 'qualities'],
  ['output_format', 'output_formats'],
  ['background', 'backgrounds'],
];

function parametersOf({ data: { image }, supportedParameters }: Endpoint): Record<string, CapabilityBody> {
  const parameters: Record<string, CapabilityBody> = { n: { type: 'range', min: 1, max: MAX_IMAGES } };
  for (const [field, option] of listed) {
    const values = image?.[option] as string[] | undefined;
    if (values) parameters[field] = { type: 'enum', values };
  }
  const pictures = image?.max_references ?? 0;
  if (pictures > 0) parameters['input_references'] = { type: 'range', min: 0, max: pictures };
  const partials = image?.max_partial_images;
  if (partials !== undefined) parameters['partial_images'] = { type: 'range', min: 0, max: partials };
  if (supportedParameters.includes('output_compression')) {
    parameters['output_compression'] = { type: 'range', min: 0, max: 100 };
  }
  if (supportedParameters.includes('seed')) parameters['seed'] = { type: 'boolean' };
  return parameters;
}

/** Returns the prices per image, token or request. Prices of 0 are omitted. */
function pricesOf({ pricing, data: { image } }: Endpoint): ImagePriceBody[] {
  if (!pricing) return [];
  const { output_image, image_output, image_input, image: picture, prompt, completion, request } = pricing;
  const prices: ImagePriceBody[] = [];
  const add = (entry: Pick<ImagePriceBody, 'billable' | 'unit' | 'variant'>, price: Money | undefined) => {
    if (price && !price.isZero) prices.push({ ...entry, cost_rub: price.toString(), cost_usd: price });
  };
  for (const [variant, price] of Object.entries(image?.prices ?? {})) {
    add({ billable: 'output_image', unit: 'image', variant }, price);
  }
  add({ billable: 'output_image', unit: 'image' }, output_image);
  if (image?.tokens) add({ billable: 'output_image', unit: 'token' }, image_output ?? completion);
  add({ billable: 'input_image', unit: 'image' }, picture);
  if (image?.tokens) add({ billable: 'input_image', unit: 'token' }, image_input ?? prompt);
  add({ billable: 'input_text', unit: 'token' }, prompt);
  add({ billable: 'output_image', unit: 'request' }, request);
  return prices;
}
