import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { resources } from '../../resources.ts';
import { readTagSettings } from '../../store/accounts/account-tags.ts';
import type { TagSettingsAnswer } from './shape.ts';

export const handler = defineEndpoint('get-tags', {}, async ({ caller: { account } }) => {
  const { reported, version } = await readTagSettings(resources.table(), account.id);
  return jsonResponse<TagSettingsAnswer>(200, { data: { reported: [...reported] } }, etag(version));
});
