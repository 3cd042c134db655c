/** Types of the API responses that the console reads. The types `Shown…` are derived from the API's shapes. */

import type { ActivityRowBody, ModelSpendingAnswer } from '../../lambdas/api/activity/shape.ts';
import type { AlertsView, DeliveryView } from '../../lambdas/api/alerts/shape.ts';
import type { CreditsAnswer } from '../../lambdas/api/credits/shape.ts';
import type { ListedRequestBody, RequestRecordBody } from '../../lambdas/api/generations/shape.ts';
import type { KeyBody } from '../../lambdas/api/keys/shape.ts';
import type { MemberBody } from '../../lambdas/api/members/shape.ts';
import type { EndpointBody, ModelAnswer, ModelBody } from '../../lambdas/api/models/shape.ts';
import type { BudgetBody } from '../../lambdas/api/parts/shape.ts';
import type { StatementBody } from '../../lambdas/api/statements/shape.ts';
import type { TagBudgetBody, TagSettingsAnswer } from '../../lambdas/api/tags/shape.ts';
import type { WorkspaceBody } from '../../lambdas/api/workspaces/shape.ts';
import type { ShownBody } from './exact-numbers.ts';

export type ShownCredits = ShownBody<CreditsAnswer['data']>;
export type ShownWorkspace = ShownBody<WorkspaceBody>;
export type ShownMember = ShownBody<MemberBody>;
export type ShownBudget = ShownBody<BudgetBody>;
export type ShownAlerts = ShownBody<AlertsView>;
export type ShownDelivery = ShownBody<DeliveryView>;
export type ShownTagBudget = ShownBody<TagBudgetBody>;
export type ShownTagSettings = ShownBody<TagSettingsAnswer['data']>;
export type ShownKey = ShownBody<KeyBody>;
export type ShownActivity = ShownBody<ActivityRowBody>;
export type ShownSpendingByModel = ShownBody<ModelSpendingAnswer>;
export type ShownStatement = ShownBody<StatementBody>;
export type ShownRequest = ShownBody<ListedRequestBody>;
export type ShownRecord = ShownBody<RequestRecordBody>;
export type ShownModel = ShownBody<ModelBody>;
export type ShownModelWithEndpoints = ShownBody<ModelAnswer['data']>;
export type ShownEndpoint = ShownBody<EndpointBody>;

export interface DataOf<Body> {
  data: Body;
}

export interface ListOf<Body> {
  data: Body[];
  total_count: number;
}

/** Response of `POST /messages/estimate`. */
export interface PromptEstimate {
  input_tokens: number;
  hold_rub: string | number;
  admits: boolean;
  affordable_max_tokens: number | null;
  candidates: {
    model: string;
    endpoint_id: string;
    provider_name: string;
    input_cost_rub: string | number;
    max_cost_rub: string | number;
  }[];
  excluded: { model: string; endpoint_id: string; provider_name: string; reason: string }[];
  limits: {
    source: string;
    interval: string;
    limit_rub: string | number;
    remaining_rub: string | number;
    admits: boolean;
  }[];
  free_limits: FreeLimit[];
}

/** Limit that applies to a free model, on requests or on the operator's spending. */
interface FreeLimit {
  model: string;
  source: string;
  remaining_requests?: number;
  admits: boolean;
}
