import * as z from 'zod';
import { countShape, listShape, time, uuid } from '../../http/shapes.ts';
import { budgetShape } from '../parts/shape.ts';

const memberShape = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    workspace_id: uuid,
    role: z.literal('member'),
    created_at: time,
    budgets: z.array(budgetShape),
  })
  .meta({ id: 'Member' });
export type MemberBody = z.output<typeof memberShape>;

export const memberListAnswer = listShape(memberShape);
export type MemberListAnswer = z.output<typeof memberListAnswer>;

export const addedMembersAnswer = z.strictObject({ added_count: countShape, data: z.array(memberShape) });
export type AddedMembersAnswer = z.output<typeof addedMembersAnswer>;

export const removedMembersAnswer = z.strictObject({ removed_count: countShape });
export type RemovedMembersAnswer = z.output<typeof removedMembersAnswer>;
