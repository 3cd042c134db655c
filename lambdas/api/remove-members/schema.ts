import { z } from 'zod';
import { membersBody } from '../shared/member-fields.ts';
import { workspaceId } from '../shared/path-params.ts';

export const request = { params: z.object({ workspaceId }), body: membersBody };
