import { sendAlertCheck } from '../../store/alerts/alert-check.ts';
import type { EndpointInput } from '../../http/endpoint.ts';
import { changesOf, type ChangeContext } from '../../management/change.ts';
import { resources } from '../../resources.ts';

/**
 * Returns the context of a change of limits over HTTP. After the change, the worker `check-alerts` checks the new
 * limits.
 */
export function limitChangesOf({
  caller,
  request,
}: Pick<EndpointInput<'management'>, 'caller' | 'request'>): ChangeContext {
  return {
    ...changesOf(resources.table(), caller, request.id),
    checkAlerts: async (check) => sendAlertCheck(resources.queue('check-alerts'), check),
  };
}
