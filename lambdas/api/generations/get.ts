import * as z from 'zod';
import type { InferenceCaller } from '../../admission/caller.ts';
import { proofsOf } from '../../books/seals/proofs.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound, type GatewayError } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import { readGeneration } from '../../store/generations/generation-queries.ts';
import { readRefusal } from '../../store/generations/refusals.ts';
import { reasonView } from './list-view.ts';
import { sealView } from './seal-view.ts';
import type { GenerationAnswer } from './shape.ts';
import { generationView } from './view.ts';
import { isVisible } from '../parts/visible.ts';

export const accepts = {
  query: z.strictObject({
    id: z.string({ error: 'is required: the id of an inference response' }).min(1).max(100).meta({
      description: 'The `id` of an answer, which is also in its header `x-generation-id`.',
      example: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
    }),
    proof: z.enum(['true', 'false']).optional().meta({
      description:
        'With `true` the answer has `seals`. After each UTC day the gateway writes down all charges and payments of the account, and signs them: the day is sealed then. The seals prove that the charge is in the signed statement of its day.',
    }),
  }),
};

/**
 * Returns the record of a final generation. For a request that the key may not read, the 404 does not reveal whether it
 * exists.
 */
export const handler = defineEndpoint('get-generation', accepts, async ({ query: { id, proof }, caller }) => {
  if (generationTimeMs(id) === undefined) throw notYet(id);
  const generation = await readGeneration(resources.table(), caller.account.id, id);
  if (generation === undefined) throw await notFoundOrRefused(id, caller);
  if (generation.state !== 'final' || !isVisible(generation, caller)) throw notYet(id);
  const data = generationView(generation);
  if (proof !== 'true') return jsonResponse<GenerationAnswer>(200, { data });
  const proofs = await proofsOf(resources.table(), caller.account.id, generation);
  return jsonResponse<GenerationAnswer>(200, { data: { ...data, seals: proofs.map(sealView) } });
});

function notYet(id: string): GatewayError {
  return notFound(`Generation ${id} was not found, or its cost is not final yet. Try again in a second.`);
}

/**
 * Returns the 404 for an unknown generation. It states whether the request was refused, because otherwise a client
 * might wait for the generation forever.
 */
async function notFoundOrRefused(id: string, caller: InferenceCaller): Promise<GatewayError> {
  const refusal = await readRefusal(resources.table(), caller.account.id, id);
  if (!refusal || !isVisible(refusal, caller)) return notYet(id);
  const { status, kind, model, createdAtMs } = refusal;
  return notFound(
    `The gateway refused request ${id} with ${status} (${kind}). No provider answered it, and it cost nothing.`,
    {
      refusal: {
        ...reasonView(refusal),
        model: model ?? null,
        created_at: new Date(createdAtMs).toISOString(),
      },
    },
  ).discourageRetry();
}
