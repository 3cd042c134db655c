import * as z from 'zod';
import { textField } from '../../http/fields.ts';
import { MAX_MEMBERS_AT_ONCE } from '../../management/members.ts';
import { memberIdRule } from '../../management/rules.ts';

const memberIdField = textField(memberIdRule).meta({ example: 'ann' });

export const membersBody = z.strictObject({
  user_ids: z
    .array(memberIdField)
    .min(1)
    .max(MAX_MEMBERS_AT_ONCE)
    .meta({ description: 'The ids of people or services, as your own systems name them.' }),
});
