import { z } from 'zod';
import { privacyOf, type Caller } from '../../admission/caller.ts';
import { modelsByModality } from '../../catalog/modalities.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { paginate, pageQuery } from '../../http/pages.ts';
import { jsonResponse } from '../../http/response.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { resources } from '../../resources.ts';
import type { Privacy } from '../../store/privacy.ts';
import { readWorkspace } from '../../store/workspaces.ts';
import { modalitiesText, modalitiesParameter } from './fields.ts';
import type { ModelListAnswer } from './shape.ts';
import { modelView } from './view.ts';

export const accepts = { query: z.strictObject({ output_modalities: modalitiesParameter, ...pageQuery(1000) }) };

/**
 * Models that at least one allowed endpoint offers, at the price of the endpoint that is tried first. Inference decides
 * both in the same way.
 */
export const handler = defineEndpoint('list-user-models', accepts, async ({ query, caller }) => {
  const exclusionOf = privacyFilter(await privacyLayers(caller));
  const models = modelsByModality(resources.catalog(), query.output_modalities).flatMap((model) => {
    const usable = model.endpoints.filter((endpoint) => endpoint.pricing && exclusionOf(endpoint) === undefined);
    return usable.length > 0 ? [modelView(model, usable)] : [];
  });
  const link = {
    pathname: '/v1/models/user',
    query: { output_modalities: modalitiesText(query.output_modalities) },
  };
  return jsonResponse<ModelListAnswer>(200, paginate(models, query, link));
});

/** A management key counts as its account in the Default workspace. */
async function privacyLayers(caller: Caller): Promise<Privacy[]> {
  const layers = privacyOf(caller);
  if (caller.workspace) return layers;
  const { id, defaultWorkspaceId } = caller.account;
  const workspace = await readWorkspace(resources.table(), id, defaultWorkspaceId);
  return workspace ? [...layers, workspace.privacy] : layers;
}
