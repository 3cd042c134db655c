import * as z from 'zod';
import { dataShape } from '../../http/shapes.ts';
import { budgetFields } from '../parts/shape.ts';

const tagBudgetShape = z
  .strictObject({
    name: z.string().meta({ description: 'The name of the tag.' }),
    value: z.string().meta({ description: 'The value of the tag whose requests are counted.' }),
    ...budgetFields,
  })
  .meta({ id: 'TagBudget' });
export type TagBudgetBody = z.output<typeof tagBudgetShape>;

export const tagBudgetsAnswer = dataShape(z.array(tagBudgetShape));
export type TagBudgetsAnswer = z.output<typeof tagBudgetsAnswer>;

export const tagSettingsAnswer = dataShape(
  z
    .strictObject({
      reported: z.array(z.string()).meta({
        description: 'The names of the tags by which `GET /activity` and `GET /statements/{month}` can split spending.',
      }),
    })
    .meta({ id: 'TagSettings' }),
);
export type TagSettingsAnswer = z.output<typeof tagSettingsAnswer>;
