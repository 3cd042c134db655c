import * as z from 'zod';
import { generationTimeMs } from '../../platform/ids.ts';

/** Queue message that names the job to advance. All other facts are in the table. */
export interface JobMessage {
  accountId: string;
  id: string;
  /** True for an additional message because of a provider's notice. The job is then polled sooner. */
  isNotice?: boolean;
}

const jobMessage = z.object({
  v: z.literal(1),
  account_id: z.string().min(1),
  id: z.string().refine((id) => generationTimeMs(id) !== undefined, 'not a generation id'),
  notice: z.literal(true).optional(),
});

export function encodeJobMessage({ accountId, id, isNotice }: JobMessage): string {
  const notice = isNotice ? ({ notice: true } as const) : {};
  return JSON.stringify({ v: 1, account_id: accountId, id, ...notice } satisfies z.input<typeof jobMessage>);
}

/** @throws {Error} if the text is not a message of a known version */
export function decodeJobMessage(text: string): JobMessage {
  const { account_id: accountId, id, notice: isNotice = false } = jobMessage.parse(JSON.parse(text));
  return { accountId, id, isNotice };
}
