import * as z from 'zod';
import { countShape, dataShape, listShape, time, uuid } from '../../http/shapes.ts';
import { budgetShape, periodUsageShape, useLimitsShape } from '../parts/shape.ts';

const memberShape = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the member, by which paths of this API name it.' }),
    user_id: z.string().meta({ description: 'The id of the person or service in your own systems.' }),
    workspace_id: uuid.meta({ description: 'The id of the workspace.' }),
    role: z.literal('member'),
    created_at: time.meta({ description: 'The time at which the member was first added.' }),
    ...useLimitsShape,
    ...periodUsageShape,
    budgets: z
      .array(budgetShape)
      .meta({ description: 'The limits of spending by period; a period that is absent has no limit.' }),
  })
  .meta({ id: 'Member' });
export type MemberBody = z.output<typeof memberShape>;

export const memberAnswer = dataShape(memberShape);
export type MemberAnswer = z.output<typeof memberAnswer>;

export const memberListAnswer = listShape(memberShape);
export type MemberListAnswer = z.output<typeof memberListAnswer>;

export const addedMembersAnswer = z.strictObject({
  added_count: countShape.meta({ description: 'The number of members that were added; others were members already.' }),
  data: z.array(memberShape).meta({ description: 'The requested resource, or the list of resources.' }),
});
export type AddedMembersAnswer = z.output<typeof addedMembersAnswer>;

export const removedMembersAnswer = z.strictObject({
  removed_count: countShape.meta({ description: 'The number of members that were removed.' }),
});
export type RemovedMembersAnswer = z.output<typeof removedMembersAnswer>;
