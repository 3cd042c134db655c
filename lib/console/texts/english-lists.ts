/** Texts for the lists that the API has: every value of theirs needs one. */

import type { ErrorKind } from '../../../lambdas/platform/errors.ts';
import type { Meter } from '../../../lambdas/catalog/unit-lists.ts';
import type { ExclusionReason } from '../../../lambdas/routing/exclusions.ts';
import type { ShownRequest } from '../answers.ts';
import type { FailureClass } from '../failure-class.ts';
import { unitLabels } from './unit-labels.ts';

/** For every value of a list that the API has; others are shown as they came. */
type TextsOf<Name extends string> = Record<Name, string> & { [other: string]: string | undefined };

type LimitSource =
  | 'key_limit'
  | 'workspace_budget'
  | 'member_budget'
  | 'account_balance'
  | 'account_limit'
  | 'free_requests_per_minute'
  | 'free_daily_requests'
  | 'free_daily_requests_of_address'
  | 'free_daily_budget';

/** Lists whose every entry needs a text. */
export interface ListedTexts {
  statuses: Record<ShownRequest['status'], string>;
  meters: Record<Meter, string>;
  intervals: TextsOf<'daily' | 'weekly' | 'monthly' | 'lifetime'>;
  refusals: TextsOf<ErrorKind>;
  failures: Record<FailureClass, string>;
  limitSources: TextsOf<LimitSource>;
  exclusions: TextsOf<ExclusionReason>;
}

export const englishLists: ListedTexts = {
  statuses: {
    pending: 'running',
    complete: 'complete',
    out_of_money: 'out of money',
    refused_before: 'failed before',
    broke_off: 'broke off',
    client_left: 'client left',
    out_of_time: 'out of time',
    refused: 'refused',
  },
  meters: unitLabels('en'),
  intervals: { daily: 'a day', weekly: 'a week', monthly: 'a month', lifetime: 'in all' },
  refusals: {
    invalid_request:
      'A field of the request is missing, unknown or has a value that is not allowed. Correct it and send again.',
    context_length_exceeded:
      'The prompt is longer than the context of the model. Shorten it, or choose a model with a longer context.',
    authentication: 'The key was unknown, disabled, expired or deleted.',
    payment_required:
      'A limit, a budget or the balance had no room for the most that the request may cost. Raise the limit, lower max_tokens, or wait until the period ends.',
    permission_denied: 'The key was of the wrong kind, or the provider does not allow this use of its model.',
    not_found: 'There is no such model or resource. Check the name.',
    conflict: 'The request did not fit the present state, such as an Idempotency-Key that was used before.',
    gone: 'The resource was deleted.',
    precondition_failed: 'Somebody had changed the resource meanwhile.',
    payload_too_large: 'The request was too large.',
    unsupported_media_type: 'The body was not declared as JSON.',
    rate_limit_exceeded: 'There were too many requests, or the quota of a free model was used up.',
    server: 'Something went wrong inside the gateway.',
    provider_unavailable: 'No provider of the model could be reached. Try again, or name other models.',
    timeout: 'The provider was silent for too long.',
    provider_overloaded: 'The provider or the gateway was overloaded. Wait a little and try again.',
  },
  failures: {
    unreachable:
      'The provider could not be reached: its name, its address, its certificate or the network is at fault. Tell the operator, or name other models in the field “models”.',
    overloaded:
      'The provider had too many requests. Try again in some seconds, or name other models in the field “models”.',
    silent:
      'The provider was silent for too long. Try again, ask for a shorter answer, or name other models in the field “models”.',
    credential:
      'The provider refused the gateway itself: its key, its balance, or the address of the model. Tell the operator.',
    request: 'The provider refused the request: its text for the client says which part. Correct it and send again.',
    unusable:
      'The provider broke off its answer, or sent what cannot be read. Try again, or name other models in the field “models”.',
  },
  limitSources: {
    key_limit: 'limit of the key',
    workspace_budget: 'budget of the workspace',
    member_budget: 'budget of the member',
    account_balance: 'balance of the account',
    account_limit: 'credit limit of the account',
    free_requests_per_minute: 'free requests of a minute',
    free_daily_requests: 'free requests of a day',
    free_daily_requests_of_address: 'free requests of an address in a day',
    free_daily_budget: 'budget of the free model for a day',
  },
  exclusions: {
    allowed_providers: 'a privacy setting allows only other providers',
    ignored_providers: 'a privacy setting leaves this provider out',
    'data_policy:logging': 'it keeps prompts, which a privacy setting forbids',
    'data_policy:training': 'it trains on prompts, which a privacy setting forbids',
    only: 'the request names only other providers',
    ignore: 'the request leaves this provider out',
    order: 'the request names an order without it',
    quantizations: 'the request asks for other quantizations',
    data_collection: 'the request allows no provider that collects data',
    zdr: 'the request asks for zero data retention',
    enforce_distillable_text: 'the request asks for text that may be distilled',
    require_parameters: 'it does not take all parameters of the request',
    max_price: 'it is dearer than the request allows',
    no_price: 'it has no price',
    no_credential: 'the operator has set no credential for it',
    other_answers: 'it gives answers of another kind',
    too_many_endpoints: 'enough others are tried before it',
    no_fallbacks: 'the request allows the first endpoint alone',
    request_not_supported: 'it does not take something in the request',
    no_room: 'the limits have room for free models alone',
    free_limit: 'a limit of the free model has no room',
  },
};
