import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import { readGeneration } from '../../store/generations/generation-queries.ts';
import { readRefusal } from '../../store/generations/refusals.ts';
import type { PastRequest } from '../../store/generations/request-history.ts';
import { requestRecordView } from './record-view.ts';
import type { RequestRecordAnswer } from './shape.ts';

export const accepts = {
  params: z.object({
    id: someId.meta({
      description: 'The id of a request, as the list has it.',
      example: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
    }),
  }),
};

/** Returns one request of the account, from any of its keys: final, pending or refused. */
export const handler = defineEndpoint(
  'get-request-record',
  accepts,
  async ({ params: { id }, caller: { account } }) => {
    const past = generationTimeMs(id) === undefined ? undefined : await readPastRequest(account.id, id);
    if (!past) throw notFound(`There is no request ${id}. Refused requests are kept for thirty days.`);
    return jsonResponse<RequestRecordAnswer>(200, { data: requestRecordView(past) });
  },
);

/**
 * Returns the generation with this id, or else the refusal. A failed generation may also have a refusal, which is not
 * returned.
 */
async function readPastRequest(accountId: string, id: string): Promise<PastRequest | undefined> {
  const table = resources.table();
  const generation = await readGeneration(table, accountId, id);
  if (generation) return { generation };
  const refusal = await readRefusal(table, accountId, id);
  return refusal && { refusal };
}
