import * as z from 'zod';
import { rub } from '../../http/shapes.ts';

export const videoAnswer = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the video, which is also that of its generation.' }),
    generation_id: z
      .string()
      .meta({ description: 'The id of the record: pass it to `GET /generation` when the job is over.' }),
    polling_url: z.url().meta({ description: 'The address at which the state of the job can be read.' }),
    status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired']).meta({
      description: 'The state of the job: `pending`, `in_progress`, `completed`, `failed`, `cancelled` or `expired`.',
    }),
    unsigned_urls: z
      .array(z.url())
      .optional()
      .meta({ description: 'The addresses of the files; reading them needs the key.' }),
    usage: z
      .strictObject({
        cost: rub.meta({ description: 'The price of the video in roubles, exact.' }),
        is_byok: z.literal(false),
      })
      .optional()
      .meta({ description: 'The cost of the video; absent until it is final.' }),
    error: z.string().optional().meta({ description: 'The reason why there is no video.' }),
  })
  .meta({ id: 'Video' });
export type VideoAnswer = z.output<typeof videoAnswer>;

export const noticeAnswer = z.strictObject({
  received: z.literal(true),
  challenge: z
    .string()
    .optional()
    .meta({ description: 'The `challenge` of the request, unchanged; absent if the request had none.' }),
});
export type NoticeAnswer = z.output<typeof noticeAnswer>;
