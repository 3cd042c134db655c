import { modelsByModality } from '../../catalog/modalities.ts';
import type { Modality } from '../../catalog/modality.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import type { PublicRoute } from '../../http/endpoint.ts';
import { routes } from '../../routes.ts';
import { answerConventionList, oneModalityQuery } from './answer-list.ts';

/** @returns the endpoint that lists the models that make this, in the shape of the public convention */
export function oneModalityEndpoint(route: PublicRoute, makes: Modality) {
  const accepts = { query: oneModalityQuery, compress: compressed };
  const handler = definePublicEndpoint(route, accepts, async (asked) => {
    const models = modelsByModality(await servedCatalog(), [makes]);
    return answerConventionList({ models }, asked, `/v1${routes[route].paths[0]}`);
  });
  return { accepts, handler };
}
