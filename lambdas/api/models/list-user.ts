import { privacyOf, type Caller } from '../../admission/caller.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { resources } from '../../resources.ts';
import type { Privacy } from '../../store/accounts/privacy.ts';
import { readWorkspace } from '../../store/accounts/workspaces.ts';
import { answerList, listQuery } from './answer-list.ts';

export const accepts = { query: listQuery, compress: compressed };

/** Lists the callable models with at least one endpoint that the caller's privacy settings allow. */
export const handler = defineEndpoint('list-user-models', accepts, async (input) => {
  const exclusionOf = privacyFilter(await privacyLayers(input.caller));
  const isAllowed = (endpoint: Endpoint) => exclusionOf(endpoint) === undefined;
  const { models } = await servedCatalog();
  return answerList({ models, isAllowed, isForPickers: true }, input, '/v1/models/user');
});

/**
 * Returns the privacy settings that apply. A management key has no workspace, so the Default workspace's settings
 * apply.
 */
async function privacyLayers(caller: Caller): Promise<Privacy[]> {
  const layers = privacyOf(caller);
  if (caller.workspace) return layers;
  const { id, defaultWorkspaceId } = caller.account;
  const workspace = await readWorkspace(resources.table(), id, defaultWorkspaceId);
  return workspace ? [...layers, workspace.privacy] : layers;
}
