import { z } from 'zod';
import { modalities } from '../../catalog/schema.ts';
import { modelsByModality, modelView, parseModalities } from '../../catalog/views.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { pageQuery, paginate } from '../../http/pages.ts';
import { resources } from '../../resources.ts';
import { jsonResponse } from '../../http/response.ts';

const query = z.object({
  output_modalities: z
    .string()
    .transform((text) => text.trim() || 'text')
    .default('text'),
  ...pageQuery(1000),
});

export const handler = defineEndpoint('list-models', { query }, ({ query: { output_modalities, offset, limit } }) => {
  const wanted = parseModalities(output_modalities);
  if ('unknown' in wanted) {
    throw invalidRequest(
      'output_modalities',
      `"${wanted.unknown}" is not a modality; use "all" or a comma-separated list of ${modalities.join(', ')}`,
    );
  }
  const models = modelsByModality(resources.catalog(), wanted.modalities).map(modelView);
  return jsonResponse(
    200,
    paginate(models, { offset, limit }, { pathname: '/v1/models', query: { output_modalities } }),
  );
});
