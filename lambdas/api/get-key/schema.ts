import { z } from 'zod';
import { keyHash } from '../shared/path-params.ts';

export const request = { params: z.object({ hash: keyHash }) };
