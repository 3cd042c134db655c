import * as z from 'zod';
import { rub } from '../../http/shapes.ts';

export const videoAnswer = z
  .strictObject({
    id: z.string().meta({ description: 'Also the id of its generation.' }),
    generation_id: z.string(),
    polling_url: z.url(),
    status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired']),
    unsigned_urls: z.array(z.url()).optional().meta({ description: 'Where its files are; they need the key.' }),
    usage: z
      .strictObject({ cost: rub, is_byok: z.literal(false) })
      .optional()
      .meta({ description: 'The usage, once the video is settled.' }),
    error: z.string().optional().meta({ description: 'Why there is no video.' }),
  })
  .meta({ id: 'Video' });
export type VideoAnswer = z.output<typeof videoAnswer>;

export const noticeAnswer = z.strictObject({ received: z.literal(true), challenge: z.string().optional() });
export type NoticeAnswer = z.output<typeof noticeAnswer>;
