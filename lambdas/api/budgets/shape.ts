import * as z from 'zod';
import { data } from '../../http/shapes.ts';
import { budgetShape } from '../parts/shape.ts';

export const budgetAnswer = data(budgetShape);
export type BudgetAnswer = z.output<typeof budgetAnswer>;

export const budgetListAnswer = data(z.array(budgetShape));
export type BudgetListAnswer = z.output<typeof budgetListAnswer>;
