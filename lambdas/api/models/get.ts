import * as z from 'zod';
import type { Model } from '../../catalog/catalog.ts';
import { makesOnlyText } from '../../catalog/modality.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { unknownModel } from '../../catalog/unknown-model.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { booleanParameter } from '../../http/fields.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import type { EndpointPoint } from '../../store/statistics/endpoint-history.ts';
import type { IsReady } from '../../routing/live-providers.ts';
import { readReadiness } from '../parts/availability.ts';
import { isMessagesClient } from './dialect.ts';
import { readHistories } from './endpoint-history.ts';
import { readEndpointReport } from './endpoint-report.ts';
import { readFreeCapacity } from './free-capacity.ts';
import { messagesModelView } from './messages-view.ts';
import { offersOf } from './offer.ts';
import type { MessagesModelAnswer } from './messages-shape.ts';
import type { EndpointBody, ModelAnswer } from './shape.ts';
import { endpointViews, modelView } from './view.ts';

export const accepts = {
  params: z.object({
    slug: z.string().meta({
      description:
        'The id of a model, slashes included, or another name that means exactly one model. With `/endpoints` at its end, the path is the same as with `endpoints=true`.',
      example: 'sandbox/claude',
    }),
  }),
  query: z.object({
    endpoints: booleanParameter.default(false).meta({
      description:
        'With true the answer also has the endpoints of the model (each one provider’s offer of it) and `routing.default`.',
    }),
    history: booleanParameter.default(false).meta({
      description:
        'With true each endpoint of the answer also has its `history`: how it was doing in each hour of the last thirty days.',
    }),
  }),
};

const ENDPOINTS_SUFFIX = '/endpoints';

export const handler = definePublicEndpoint(
  'get-model',
  accepts,
  async ({ params: { slug: path }, query, request }) => {
    const withEndpoints = query.endpoints || path.endsWith(ENDPOINTS_SUFFIX);
    const slug = path.endsWith(ENDPOINTS_SUFFIX) ? path.slice(0, -ENDPOINTS_SUFFIX.length) : path;
    const catalog = await servedCatalog();
    const model = catalog.meant(slug);
    if (!model) throw unknownModel(catalog, slug, 'slug');
    // Clients of every API get the endpoints in the format of OpenRouter's API.
    if (withEndpoints) return answerEndpoints(model, query.history);
    const [isLimited, isReady] = await Promise.all([readFreeCapacity([model]), readReadiness([model])]);
    if (isMessagesClient(request)) return answerMessagesModel(model, isReady);
    return jsonResponse<ModelAnswer>(200, withTopMembers(modelView(model, undefined, isLimited, isReady)));
  },
);

async function answerEndpoints(model: Model, withHistory: boolean): Promise<HttpResponse> {
  const offered = model.aliasOf ?? model;
  const [doing, isLimited, histories] = await Promise.all([
    readEndpointReport(),
    readFreeCapacity([model]),
    withHistory ? readHistories(offered.endpoints.map(({ id }) => id)) : undefined,
  ]);
  return jsonResponse<ModelAnswer>(200, {
    ...withTopMembers({
      // Clients that validate the response require a description, even if it is empty.
      description: '',
      ...modelView(model, undefined, isLimited, doing.isReady),
      endpoints: endpointViews(offered, doing).map((view) => withPoints(view, histories?.get(view.endpoint_id))),
    }),
    // If the catalog has no default routing for the model, requests order endpoints mainly by health and price.
    routing: { default: model.data.routing ?? {} },
  });
}

/** Adds the fields that OpenAI's SDKs read at the top level. */
function withTopMembers(data: ModelAnswer['data']): ModelAnswer {
  const { id, object, created, owned_by: owner } = data;
  return { id, object, created, owned_by: owner, data };
}

function withPoints(view: EndpointBody, points: readonly EndpointPoint[] | undefined): EndpointBody {
  if (points === undefined) return view;
  const history = points.map(({ hourMs, uptimePercent, latencyMs, throughput }) => ({
    hour: new Date(hourMs).toISOString(),
    uptime: uptimePercent,
    latency: latencyMs,
    throughput,
  }));
  return { ...view, history };
}

/**
 * Returns a model in the format of the Messages API. For an alias, this is the model that answers, as in that API.
 * @throws {GatewayError} 404 for a model that does not produce only text, or has no endpoint with a price
 */
function answerMessagesModel(model: Model, isReady: IsReady): HttpResponse {
  const [offer] = offersOf({ models: [model.aliasOf ?? model] }, isReady);
  const makes = model.data.output_modalities;
  if (!offer || !makesOnlyText(makes)) {
    throw notFound(`"${model.id}" makes ${makes.join(', ')}, and does not answer messages.`, { field: 'slug' });
  }
  return jsonResponse<MessagesModelAnswer>(200, messagesModelView(offer));
}
