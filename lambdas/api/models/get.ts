import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { booleanParameter } from '../../http/fields.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import type { ModelAnswer } from './shape.ts';
import { endpointViews, modelView, type Doing } from './view.ts';

export const accepts = {
  params: z.object({
    slug: z.string().meta({
      description: 'Id of a model, with its slashes; `/endpoints` behind it is the same as `endpoints=true`.',
      example: 'sandbox/claude',
    }),
  }),
  query: z.strictObject({
    endpoints: booleanParameter.default(false).meta({ description: 'Adds endpoints and `routing.default`.' }),
  }),
};

const ENDPOINTS_SUFFIX = '/endpoints';

/** An empty object: endpoints are chosen automatically, the cheapest first. */
const AUTOMATIC_ROUTING = {};

export const handler = defineEndpoint(
  'get-model',
  accepts,
  async ({ params: { slug: path }, query: { endpoints } }) => {
    const withEndpoints = endpoints || path.endsWith(ENDPOINTS_SUFFIX);
    const slug = path.endsWith(ENDPOINTS_SUFFIX) ? path.slice(0, -ENDPOINTS_SUFFIX.length) : path;
    const model = resources.catalog().find(slug);
    if (!model) throw notFound(`There is no model "${slug}". GET /models lists the catalog's ids.`, { field: 'slug' });
    if (!withEndpoints) return jsonResponse<ModelAnswer>(200, { data: modelView(model) });
    return jsonResponse<ModelAnswer>(200, {
      // Clients that validate ask for a description here, even an empty one.
      data: {
        description: '',
        ...modelView(model),
        endpoints: endpointViews(model.aliasOf ?? model, await readDoing()),
      },
      routing: { default: AUTOMATIC_ROUTING },
    });
  },
);

/** How long an answer waits for what is only known of the moment. */
const PATIENCE_MS = 700;

/** How the endpoints are doing, or what is left of it when the table does not answer in time. */
async function readDoing(): Promise<Doing> {
  const [health, statistics] = [resources.health(), resources.statistics()];
  await Promise.race([
    Promise.all([health.refresh(), statistics.refresh()]),
    sleep(PATIENCE_MS, undefined, { ref: false }),
  ]);
  return {
    isFailing: (endpointId) => (health.isShared ? health.isFailing(endpointId) : undefined),
    statisticsOf: (endpointId) => statistics.statisticsOf(endpointId),
  };
}
