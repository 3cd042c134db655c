import * as z from 'zod';
import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { booleanParameter } from '../../http/fields.ts';
import { alwaysPaged } from '../../http/pages.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { resources } from '../../resources.ts';
import { readCounters } from '../../store/counters/counters.ts';
import { inferenceKeysOf, keyPage } from '../../store/accounts/key-directory.ts';
import { keyFrom, keyItemKey } from '../../store/accounts/keys.ts';
import { readItems } from '../../store/table/query.ts';
import type { KeyListAnswer } from './shape.ts';
import { keyView } from './view.ts';

export const accepts = {
  compress: compressed,
  query: z.strictObject({
    workspace_id: someId
      .optional()
      .meta({ description: 'The id or slug of a workspace; without it, the Default workspace.' }),
    member_id: someId.optional().meta({ description: 'Only keys of this member.' }),
    ...alwaysPaged(100),
    include_disabled: booleanParameter
      .default(true)
      .meta({ description: 'With false the list leaves out keys that are switched off.' }),
  }),
};

/** Returns a page of inference keys in the order of creation. */
export const handler = defineEndpoint('list-keys', accepts, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const workspaceId =
    query.workspace_id === undefined
      ? account.defaultWorkspaceId
      : (await findWorkspace(table, account.id, query.workspace_id)).id;
  const list = inferenceKeysOf({ workspaceId, memberId: query.member_id, includeDisabled: query.include_disabled });
  const { hashes, total } = await keyPage(table, list, query);
  const [items, counterOf] = await Promise.all([
    readItems(table, hashes.map(keyItemKey)),
    readCounters(table, 'key', hashes),
  ]);
  const byHash = new Map(items.map((item) => keyFrom(item)).map((key) => [key.hash, key]));
  // Excludes keys that were deleted after the list was read.
  const keys = hashes.flatMap((hash) => byHash.get(hash) ?? []).filter(({ deleted }) => !deleted);
  return jsonResponse<KeyListAnswer>(200, {
    data: keys.map((key) => keyView(key, counterOf(key.hash))),
    total_count: total,
  });
});
