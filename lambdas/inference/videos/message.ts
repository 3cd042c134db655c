import * as z from 'zod';
import { generationTimeMs } from '../../platform/ids.ts';

/** Which job is to be gone on with. All else is in the table. */
export interface VideoMessage {
  accountId: string;
  id: string;
  /** A provider says that the job has moved on: it is looked at sooner, and its own message stays where it is. */
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

/** @throws {Error} when the text is not a message of a version we know. */
export function decodeVideoMessage(text: string): VideoMessage {
  const { account_id: accountId, id, notice: isNotice = false } = videoMessage.parse(JSON.parse(text));
  return { accountId, id, isNotice };
}
