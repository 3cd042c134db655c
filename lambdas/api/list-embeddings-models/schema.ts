import { z } from 'zod';
import { pageQuery } from '../../http/pages.ts';

export const request = { query: z.strictObject(pageQuery(1000)) };
