import * as z from 'zod';
import { dataShape } from '../../http/shapes.ts';
import { budgetShape } from '../parts/shape.ts';

export const budgetAnswer = dataShape(budgetShape);
export type BudgetAnswer = z.output<typeof budgetAnswer>;

export const budgetListAnswer = dataShape(z.array(budgetShape));
export type BudgetListAnswer = z.output<typeof budgetListAnswer>;
