import * as z from 'zod';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import { resources } from '../../resources.ts';
import { encodeJobMessage } from '../../inference/jobs/message.ts';
import { noticedJob } from '../../inference/jobs/provider-webhook.ts';
import type { NoticeAnswer } from './shape.ts';

export const accepts = {
  params: z.object({
    name: z.string().max(300).meta({
      description: 'The name of this job in the address that the provider got.',
      example: 'account.gen-….5ff7',
    }),
  }),
};

/**
 * Handles a notice (webhook) from a provider. Its content is not trusted, so the worker polls the provider. Some
 * providers first send a value that the response must repeat.
 */
export const handler = definePublicEndpoint('notice-video', accepts, async ({ params: { name }, request }) => {
  const job = noticedJob(name, await readPepper());
  if (!job) throw notFound('There is no video job with this address.');
  await resources.queue('advance-videos').send(encodeJobMessage({ ...job, isNotice: true }));
  return jsonResponse<NoticeAnswer>(200, { received: true, ...challengeIn(request.body) });
});

const MAX_CHALLENGE_CHARACTERS = 1_000;

/**
 * Returns the value `challenge` of a notice, which MiniMax requires in the response:
 * https://platform.minimax.io/docs/api-reference/video-generation-t2v
 */
function challengeIn(body: string): { challenge?: string } {
  try {
    const { challenge } = (JSON.parse(body) ?? {}) as { challenge?: unknown };
    return typeof challenge === 'string' && challenge.length <= MAX_CHALLENGE_CHARACTERS ? { challenge } : {};
  } catch {
    return {};
  }
}
