import { z } from 'zod';
import { modalitiesParameter } from '../shared/modalities-parameter.ts';
import { pageQuery } from '../../http/pages.ts';

export const request = { query: z.strictObject({ output_modalities: modalitiesParameter, ...pageQuery(1000) }) };
