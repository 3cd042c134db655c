import { modelsByModality } from '../../catalog/modalities.ts';
import type { Modality } from '../../catalog/modality.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressedOnce } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import type { PublicRoute } from '../../http/endpoint.ts';
import { routes } from '../../routes.ts';
import { answerConventionList, oneModalityQuery } from './answer-list.ts';
import { recentList } from './recent-lists.ts';

/** Creates the handler of a list of models with one output modality, in the format of OpenRouter's API. */
export function oneModalityEndpoint(route: PublicRoute, makes: Modality) {
  const accepts = { query: oneModalityQuery, compress: compressedOnce() };
  const pathname = `/v1${routes[route].paths[0]}`;
  const handler = definePublicEndpoint(route, accepts, async (input) => {
    const catalog = await servedCatalog();
    return recentList(catalog, input.request, pathname, () =>
      answerConventionList({ models: modelsByModality(catalog, [makes]) }, input, pathname),
    );
  });
  return { accepts, handler };
}
