import { z } from 'zod';
import { MAX_MEMBERS_AT_ONCE } from '../../management/members.ts';

const ID_RULE =
  'must be 1 to 128 letters, digits and . _ @ : + -, beginning with a letter or digit, and neither "add" nor "remove"';

/** Ids of members stand in paths: "add" and "remove" are routes there. */
const memberId = z
  .string({ error: ID_RULE })
  .regex(/^(?!(?:add|remove)$)[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}$/, ID_RULE)
  .meta({ example: 'ann' });

export const membersBody = z.strictObject({
  user_ids: z
    .array(memberId)
    .min(1)
    .max(MAX_MEMBERS_AT_ONCE)
    .meta({ description: 'Ids of people or services, as your own systems name them.' }),
});
