/** Classifies an error of a provider: by the first rule that matches, or else by its status. */

import { accountRules } from './account-rules.ts';
import { contextRules } from './context-rules.ts';
import type { FaultKind, FaultRule } from './fault-rule.ts';
import { modelRules } from './model-rules.ts';
import { providerRules, typeRules } from './provider-rules.ts';
import { reasoningRules, requestRules } from './request-rules.ts';
import type { StatedError } from './stated-error.ts';

/** All rules, in the order in which they are tried. */
export const faultRules: readonly FaultRule[] = [
  ...reasoningRules,
  ...requestRules,
  ...accountRules,
  ...modelRules,
  ...providerRules,
  ...contextRules,
  ...typeRules,
];

/** Statuses with another meaning than their class. */
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
  // Problems between operator and provider: the client's own key and model are fine.
  401: 'operator',
  402: 'operator',
  403: 'operator',
  404: 'operator',
  410: 'catalog',
};

/** Faults that pass without any action. */
const passing: ReadonlySet<FaultKind> = new Set(['overload', 'rate', 'timeout']);

export interface ClassifiedError {
  fault: FaultKind;
  /** The matching rule; undefined if only the status classified the error. */
  rule: FaultRule | undefined;
  /** HTTP status of the response, or else the status in the error; undefined without either. */
  status: number | undefined;
}

/**
 * @param providerId of the catalog
 * @param httpStatus of the response; undefined for an error in a stream that began with a success
 */
export function classifyError(
  error: StatedError,
  { providerId, httpStatus }: { providerId: string; httpStatus: number | undefined },
): ClassifiedError {
  const status = httpStatus ?? error.status;
  const isFound = (rule: FaultRule) => fits(rule, error, status);
  const rule =
    faultRules.find((own) => isOfFamily(own, providerId) && isFound(own)) ??
    faultRules.find((foreign) => foreign.isOwn !== true && isFound(foreign) && !isByNumber(foreign));
  const ofStatus = faultOfStatus(status, error);
  // A status for overload, a limit or a timeout is more precise than an internal error of the provider.
  const isVague = rule?.kind === 'failure' && passing.has(ofStatus);
  return { fault: rule && !isVague ? rule.kind : ofStatus, rule, status };
}

function faultOfStatus(status: number | undefined, { messages, isPage }: StatedError): FaultKind {
  const fault = (status === undefined ? undefined : faultsOfStatuses[status]) ?? 'failure';
  if (fault !== 'request') return fault;
  if (isPage) return 'failure';
  // The cause may be the size of the prompt, or a feature that only this endpoint lacks.
  return messages.length === 0 ? 'elsewhere' : fault;
}

function isOfFamily({ family }: FaultRule, providerId: string): boolean {
  return providerId === family || providerId.startsWith(`${family}-`);
}

/** Whether a rule matches by number. Each provider numbers its errors in its own way. */
function isByNumber({ code }: FaultRule): boolean {
  return code?.some((one) => /^\d+$/.test(one)) ?? false;
}

function fits({ code, message, status: statuses }: FaultRule, error: StatedError, status: number | undefined): boolean {
  if (statuses === 'none' ? status !== undefined : statuses && !(status !== undefined && statuses.includes(status))) {
    return false;
  }
  if (code && !code.some((one) => error.codes.includes(one))) return false;
  return message === undefined || error.messages.some((words) => message.test(withoutRelay(words)));
}

/** Prefix that a relay, or an SDK inside it, adds to the provider's message. */
const RELAY =
  /^(?:(?:Error code: \d{3} - |Upstream error from [\w .-]{1,60}: |The model returned the following errors: |(?:<\d{3}> )?InternalError\.Algo\.\w{1,40}: |litellm\.\w{1,60}: |\w{1,40}(?:Exception|Error)(?: - |: )|\[[\w ./-]{1,60}\](?: \[\d{3}\])?:? |(?:API )?Error: (?:\d{3} )?|\d{3} (?=[A-Z])))+/;

function withoutRelay(words: string): string {
  return words.replace(RELAY, '').trim();
}
