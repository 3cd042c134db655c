/**
 * Answers the routes for budgets of workspaces and members. A response has the ETag of the workspace or member, not of
 * one budget, because its budgets depend on each other.
 */

import type { EndpointInput } from '../../http/endpoint.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import type { DeletedAnswer } from '../../http/shapes.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { setBudget } from '../../management/budgets.ts';
import { changesOf } from '../../management/change.ts';
import type { Money } from '../../money/money.ts';
import type { Interval } from '../../money/periods.ts';
import { notFound } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { readCounter } from '../../store/counters/counters.ts';
import { budgetsOfPath } from './owner.ts';
import type { BudgetAnswer, BudgetListAnswer } from './shape.ts';
import { limitChangesOf } from '../parts/limit-changes.ts';
import { budgetViews } from '../parts/view.ts';

type Path = { workspaceId: string; memberId?: string };
type PathWithInterval = Path & { interval: Interval };
type BudgetInput<Params, Body = unknown> = EndpointInput<'management', Body, unknown, Params>;

export async function listBudgets({ params, caller }: BudgetInput<Path>): Promise<HttpResponse> {
  const table = resources.table();
  const { owner, set, version } = await budgetsOfPath(table, caller.account.id, params, 'read');
  const data = budgetViews(owner, set, await readCounter(table, owner.scope));
  return jsonResponse<BudgetListAnswer>(200, { data }, etag(version));
}

export async function getBudget({ params, caller }: BudgetInput<PathWithInterval>): Promise<HttpResponse> {
  const table = resources.table();
  const { owner, set, version } = await budgetsOfPath(table, caller.account.id, params, 'read');
  const views = budgetViews(owner, set, await readCounter(table, owner.scope));
  const budget = views.find((view) => view.interval === params.interval);
  if (!budget) throw notFound(`There is no ${params.interval} budget. Set one with PUT.`, { field: 'interval' });
  return jsonResponse<BudgetAnswer>(200, { data: budget }, etag(version));
}

export async function putBudget(input: BudgetInput<PathWithInterval, { limit_rub: Money }>): Promise<HttpResponse> {
  const { params, body, caller, request } = input;
  const table = resources.table();
  const { owner, set } = await budgetsOfPath(table, caller.account.id, params, 'change');
  const { version, ...changed } = await setBudget(limitChangesOf(input), owner, {
    interval: params.interval,
    limit: body.limit_rub,
    expectedVersion: expectedVersion(request),
  });
  const views = budgetViews(owner, { ...set, ...changed }, await readCounter(table, owner.scope));
  return jsonResponse<BudgetAnswer>(
    200,
    { data: views.find((view) => view.interval === params.interval)! },
    etag(version),
  );
}

/** Removes a budget. Also succeeds if the budget does not exist. */
export async function removeBudget({ params, caller, request }: BudgetInput<PathWithInterval>): Promise<HttpResponse> {
  const table = resources.table();
  const { owner } = await budgetsOfPath(table, caller.account.id, params, 'change');
  await setBudget(changesOf(table, caller, request.id), owner, {
    interval: params.interval,
    limit: null,
    expectedVersion: expectedVersion(request),
  });
  return jsonResponse<DeletedAnswer>(200, { deleted: true });
}
