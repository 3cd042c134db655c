import type { ErrorKind } from '../../../lambdas/platform/errors.ts';
import type { Meter } from '../../../lambdas/catalog/unit-lists.ts';
import type { ExclusionReason } from '../../../lambdas/routing/exclusions.ts';
import type { ShownRequest } from '../answers.ts';
import type { FailureClass } from '../failure-class.ts';
import { unitLabels } from './unit-labels.ts';

/** Texts of an enumeration by value; unknown values are shown unchanged. */
type TextsOf<Name extends string> = Record<Name, string> & { [other: string]: string | undefined };

type LimitSource =
  | 'key_limit'
  | 'workspace_budget'
  | 'member_budget'
  | 'account_balance'
  | 'account_limit'
  | 'tag_budget'
  | 'free_requests_per_minute'
  | 'free_daily_requests'
  | 'free_daily_requests_of_address'
  | 'free_daily_budget'
  | 'key_requests_per_minute'
  | 'key_tokens_per_minute'
  | 'key_parallel_requests'
  | 'allowed_models'
  | 'allowed_networks'
  | 'required_tags';

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
    refused_before: 'failed before answer',
    broke_off: 'broken off',
    client_left: 'client disconnected',
    out_of_time: 'out of time',
    refused: 'refused',
  },
  meters: unitLabels('en'),
  intervals: { daily: 'per day', weekly: 'per week', monthly: 'per month', lifetime: 'in total' },
  refusals: {
    invalid_request:
      'A field of the request is missing, unknown or has a value that is not allowed. Correct it, then send the request again.',
    context_length_exceeded:
      'The prompt is longer than the context of the model. Shorten it, or choose a model with a longer context.',
    authentication: 'The key was unknown, disabled, expired or deleted. Use another key.',
    payment_required:
      'A limit, a budget or the balance was too low for the maximum cost of the request. Raise the limit, lower max_tokens, or wait until the period ends.',
    permission_denied:
      'The key was of the wrong kind, or the provider does not allow this use of its model. Use another key or model.',
    not_found: 'The model or resource does not exist. Check the name.',
    conflict: 'The request conflicts with the current state, for example because its Idempotency-Key was used before.',
    gone: 'The resource was deleted.',
    precondition_failed: 'Someone else has changed the resource since it was read. Read it again.',
    payload_too_large: 'The request was too large. Send less data.',
    unsupported_media_type:
      'The body was not JSON in UTF-8, or its compression is unknown. Send the header content-type: application/json.',
    rate_limit_exceeded:
      'There were too many requests, or the quota of a free model was used up. Wait, then try again.',
    server: 'The gateway had an internal error. Try again; if it persists, contact the operator.',
    provider_unavailable: 'No provider of the model was available. Try again, or name other models.',
    timeout: 'The provider was silent for too long. Try again, or request a shorter answer.',
    provider_overloaded: 'The provider or the gateway was overloaded. Wait a moment, then try again.',
  },
  failures: {
    unreachable:
      'The provider could not be reached because of its host name, its address, its certificate or the network. Contact the operator, or name other models in the field “models”.',
    overloaded:
      'The provider had too many requests. Try again in a few seconds, or name other models in the field “models”.',
    silent:
      'The provider was silent for too long. Try again, request a shorter answer, or name other models in the field “models”.',
    credential:
      'The provider rejected the gateway itself because of its key, its balance, or the address of the model. Contact the operator.',
    request:
      'The provider rejected the request. The error in the response names the reason. Correct the request, then send it again.',
    unusable:
      'The provider broke off its answer, or sent invalid data. Try again, or name other models in the field “models”.',
  },
  limitSources: {
    key_limit: 'key limit',
    workspace_budget: 'workspace budget',
    member_budget: 'member budget',
    account_balance: 'account balance',
    account_limit: 'account credit limit',
    tag_budget: 'budget of a tag',
    free_requests_per_minute: 'free requests per minute',
    free_daily_requests: 'free requests per day',
    free_daily_requests_of_address: 'free requests per IP address and day',
    free_daily_budget: 'daily budget of the free model',
    key_requests_per_minute: 'requests of the key per minute',
    key_tokens_per_minute: 'tokens of the key per minute',
    key_parallel_requests: 'running requests of the key',
    allowed_models: 'allowed models',
    allowed_networks: 'allowed networks',
    required_tags: 'required tags',
  },
  exclusions: {
    allowed_providers: 'a privacy setting allows only other providers',
    ignored_providers: 'a privacy setting excludes this provider',
    'data_policy:logging': 'the provider stores prompts, which a privacy setting forbids',
    'data_policy:training': 'the provider trains on prompts, which a privacy setting forbids',
    only: 'the request allows only other providers',
    ignore: 'the request excludes this provider',
    order: 'the request’s provider order does not contain it',
    quantizations: 'the request requires another quantization',
    data_collection: 'the request allows no provider that collects data',
    zdr: 'the request requires zero data retention',
    enforce_distillable_text: 'the request requires text that may be used for distillation',
    require_parameters: 'it does not support all parameters of the request',
    max_price: 'it is more expensive than the request allows',
    no_price: 'it has no price',
    no_credential: 'the operator has not set its credential',
    other_answers: 'it returns answers of another kind',
    too_many_endpoints: 'enough other endpoints come before it',
    no_fallbacks: 'the request allows only the first endpoint',
    request_not_supported: 'it does not support a part of the request',
    no_room: 'the limits only suffice for free models',
    free_limit: 'a limit of the free model is used up',
  },
};
