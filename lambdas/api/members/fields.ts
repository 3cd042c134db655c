import { z } from 'zod';
import { MAX_MEMBERS_AT_ONCE, MEMBER_ID, MEMBER_ID_RULE } from '../../management/members.ts';

const memberId = z.string({ error: MEMBER_ID_RULE }).regex(MEMBER_ID, MEMBER_ID_RULE).meta({ example: 'ann' });

export const membersBody = z.strictObject({
  user_ids: z
    .array(memberId)
    .min(1)
    .max(MAX_MEMBERS_AT_ONCE)
    .meta({ description: 'Ids of people or services, as your own systems name them.' }),
});
