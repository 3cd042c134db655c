import { z } from 'zod';
import { generationTimeMs } from '../platform/ids.ts';

/** Which job is to be gone on with. All else is in the table. */
export interface VideoMessage {
  accountId: string;
  id: string;
}

const videoMessage = z.strictObject({
  v: z.literal(1),
  account_id: z.string().min(1),
  id: z.string().refine((id) => generationTimeMs(id) !== undefined, 'not a generation id'),
});

export function encodeVideoMessage({ accountId, id }: VideoMessage): string {
  return JSON.stringify({ v: 1, account_id: accountId, id } satisfies z.input<typeof videoMessage>);
}

/** @throws {Error} when the text is not a message of a version we know. */
export function decodeVideoMessage(text: string): VideoMessage {
  const { account_id: accountId, id } = videoMessage.parse(JSON.parse(text));
  return { accountId, id };
}
