import * as z from 'zod';
import type { InferenceCaller } from '../../admission/caller.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import { readGeneration } from '../../store/generation-queries.ts';
import type { Generation } from '../../store/generation.ts';
import type { GenerationAnswer } from './shape.ts';
import { generationView } from './view.ts';
import { isVisible } from './visible.ts';

export const accepts = {
  query: z.strictObject({
    id: z
      .string({ error: 'is required: the id of an inference response' })
      .min(1)
      .max(100)
      .meta({ description: 'The id of an inference response, or its x-generation-id header.' }),
  }),
};

/** 404 until the cost is final, and for any generation that the key may not see: a 404 reveals nothing. */
export const handler = defineEndpoint('get-generation', accepts, async ({ query: { id }, caller }) => {
  const generation = await readVisible(id, caller);
  if (generation?.state !== 'final') {
    throw notFound(`Generation ${id} was not found, or its cost is not final yet. Ask again in a second.`);
  }
  return jsonResponse<GenerationAnswer>(200, { data: generationView(generation) });
});

async function readVisible(id: string, caller: InferenceCaller): Promise<Generation | undefined> {
  if (generationTimeMs(id) === undefined) return undefined;
  const generation = await readGeneration(resources.table(), caller.account.id, id);
  return generation && isVisible(generation, caller) ? generation : undefined;
}
