import { z } from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import { readPepper } from '../../platform/secrets.ts';
import { resources } from '../../resources.ts';
import { encodeVideoMessage } from '../../videos/message.ts';
import { noticedJob } from '../../videos/notice.ts';
import type { NoticeAnswer } from './shape.ts';

export const accepts = {
  params: z.object({
    name: z
      .string()
      .max(300)
      .meta({ description: 'What the gateway has told the provider.', example: 'account.gen-….5ff7' }),
  }),
};

/** What a provider says is not read: it is asked. */
export const handler = defineEndpoint('notice-video', accepts, async ({ params: { name } }) => {
  const job = noticedJob(name, await readPepper());
  if (!job) throw notFound('There is no such address.');
  await resources.queue('advance-videos').send(encodeVideoMessage({ ...job, isNotice: true }));
  return jsonResponse<NoticeAnswer>(202, { received: true });
});
