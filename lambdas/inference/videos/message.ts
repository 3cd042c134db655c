import * as z from 'zod';
import { generationTimeMs } from '../../platform/ids.ts';

/** Queue message that names the job to advance. All other facts are in the table. */
export interface VideoMessage {
  accountId: string;
  id: string;
  /**
   * True for an additional message, sent because a provider reports progress of the job. It makes the gateway poll the
   * job sooner. The job's regular message stays in the queue.
   */
  isNotice?: boolean;
}

const videoMessage = z.object({
  v: z.literal(1),
  account_id: z.string().min(1),
  id: z.string().refine((id) => generationTimeMs(id) !== undefined, 'not a generation id'),
  notice: z.literal(true).optional(),
});

export function encodeVideoMessage({ accountId, id, isNotice }: VideoMessage): string {
  const notice = isNotice ? ({ notice: true } as const) : {};
  return JSON.stringify({ v: 1, account_id: accountId, id, ...notice } satisfies z.input<typeof videoMessage>);
}

/**
 * Parses a queue message.
 * @throws {Error} if the text is not a message of a known version
 */
export function decodeVideoMessage(text: string): VideoMessage {
  const { account_id: accountId, id, notice: isNotice = false } = videoMessage.parse(JSON.parse(text));
  return { accountId, id, isNotice };
}
