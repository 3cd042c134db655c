import type { InferenceCaller } from '../../admission/caller.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { notFound } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { jsonResponse } from '../../http/response.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { Generation } from '../../store/generation.ts';
import { readGeneration } from '../../store/generation-queries.ts';
import { request } from './schema.ts';
import { generationView } from './view.ts';

/** 404 until the cost is final, and for every generation that the key may not see: absence tells nothing. */
export const handler = defineEndpoint('get-generation', request, async ({ query: { id }, caller }) => {
  const generation = await readVisible(id, caller);
  if (generation?.state !== 'final') {
    throw notFound(`Generation ${id} was not found, or its cost is not final yet. Ask again in a second.`);
  }
  return jsonResponse(200, { data: generationView(generation) });
});

async function readVisible(id: string, caller: InferenceCaller): Promise<Generation | undefined> {
  if (generationTimeMs(id) === undefined) return undefined;
  const generation = await readGeneration(resources.table(), caller.account.id, id);
  return generation && isVisible(generation, caller) ? generation : undefined;
}

/** A workspace's key sees its workspace; a member's key only what the member itself has run there. */
function isVisible({ payer }: Generation, { workspace, member }: InferenceCaller): boolean {
  return payer.workspaceId === workspace.id && (member === undefined || payer.memberId === member.id);
}
