import { withoutAccountIds } from './account-ids.ts';
import { accountRules } from './account-rules.ts';
import { contextRules, plainContextRules } from './context-rules.ts';
import type { FaultKind, FaultRule } from './fault-rule.ts';
import { generalRules } from './general-rules.ts';
import { mediaAccountRules } from './media-account-rules.ts';
import { modelRules } from './model-rules.ts';
import { passingRules } from './passing-rules.ts';
import { providerRules, typeRules } from './provider-rules.ts';
import { reasoningRules, requestRules } from './request-rules.ts';
import { isInformative, type StatedError } from './stated-error.ts';

const preciseRules: readonly FaultRule[] = [
  ...reasoningRules,
  ...requestRules,
  ...accountRules,
  ...mediaAccountRules,
  ...generalRules,
  ...modelRules,
  ...plainContextRules,
  ...providerRules,
  ...passingRules,
  ...contextRules,
];

/** Rules for general error types come last, because the other rules are more precise. */
export const faultRules: readonly FaultRule[] = [...preciseRules, ...typeRules];

/** Kinds of faults by HTTP status. Every other status is a `failure`. */
const faultsOfStatuses: Record<number, FaultKind> = {
  400: 'request',
  422: 'request',
  413: 'size',
  429: 'rate',
  408: 'timeout',
  504: 'timeout',
  524: 'timeout',
  503: 'overload',
  529: 'overload',
  // The client's key was already accepted. These statuses therefore concern the operator's credential or configuration.
  401: 'operator',
  402: 'operator',
  407: 'operator',
  451: 'operator',
  403: 'operator',
  404: 'operator',
  410: 'catalog',
};

/** Kinds of faults that usually go away on their own. */
const passing: ReadonlySet<FaultKind> = new Set(['overload', 'rate', 'timeout']);

export interface ClassifiedError {
  fault: FaultKind;
  /** The matching rule; undefined if only the status classified the error. */
  rule: FaultRule | undefined;
  /** HTTP status of the response, else the status that the error states; undefined if neither exists. */
  status: number | undefined;
  /** Error message, in which ids of accounts in known forms are hidden; undefined if the error has none. */
  message: string | undefined;
}

/**
 * Classifies an error by rules, or by its HTTP status if no rule matches or the status is more precise.
 * @param httpStatus status of the response; undefined if the response has no error status
 */
export function classifyError(
  error: StatedError,
  { providerId, httpStatus }: { providerId: string; httpStatus: number | undefined },
): ClassifiedError {
  const status = httpStatus ?? error.status;
  const isFound = (rule: FaultRule) => fits(rule, error, status);
  const foundIn = (rules: readonly FaultRule[]) =>
    rules.find((own) => (own.isGeneral === true || isOfFamily(own, providerId)) && isFound(own)) ??
    rules.find((foreign) => foreign.isOwn !== true && isFound(foreign) && !isByNumber(foreign));
  const rule = foundIn(preciseRules) ?? foundIn(typeRules);
  const ofStatus = faultOfStatus(status, error);
  // A status that means overload, rate limit or timeout is more precise than a rule for a general failure.
  const isVague = rule?.kind === 'failure' && passing.has(ofStatus);
  const [message] = error.messages.map(withoutAccountIds);
  return { fault: rule && !isVague ? rule.kind : ofStatus, rule, status, message };
}

function faultOfStatus(status: number | undefined, { messages, isPage }: StatedError): FaultKind {
  const fault = (status === undefined ? undefined : faultsOfStatuses[status]) ?? 'failure';
  if (fault !== 'request') return fault;
  if (isPage) return 'failure';
  // Without an informative message, the cause may be the prompt's length or a missing feature of this endpoint, so
  // another endpoint is tried.
  return messages.some(isInformative) ? fault : 'elsewhere';
}

function isOfFamily({ family }: FaultRule, providerId: string): boolean {
  return providerId === family || providerId.startsWith(`${family}-`);
}

/** Returns whether a rule matches a numeric code. It then applies only to its own family: others use other numbers. */
function isByNumber({ code }: FaultRule): boolean {
  return code?.some((one) => /^\d+$/.test(one)) ?? false;
}

function fits({ code, message, status: statuses }: FaultRule, error: StatedError, status: number | undefined): boolean {
  if (statuses === 'none' ? status !== undefined : statuses && !(status !== undefined && statuses.includes(status))) {
    return false;
  }
  if (code && !code.some((one) => error.codes.includes(one))) return false;
  return message === undefined || error.messages.some((text) => message.test(withoutRelay(text)));
}

/** Matches the prefixes that a relay, or an SDK within the relay, adds to the provider's message. */
const RELAY =
  /^(?:(?:Error code: \d{3} - |Upstream error from [\w .-]{1,60}: |The model returned the following errors: |(?:<\d{3}> )?InternalError\.Algo\.\w{1,40}: |litellm\.\w{1,60}: |\w{1,40}(?:Exception|Error)(?: - |: )|\[[\w ./-]{1,60}\](?: \[\d{3}\])?:? |(?:API )?Error(?: from provider(?: \([\w .-]{1,60}\))?)?: (?:\d{3} )?|\d{3} (?=[A-Z])))+/;

function withoutRelay(text: string): string {
  return text.replace(RELAY, '').trim();
}
