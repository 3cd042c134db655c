import { CheckRequests } from '../alerts/check-requests.ts';
import { once } from '../platform/concurrency/once.ts';
import { resources } from '../resources.ts';
import { hasAlertSettings } from '../store/alerts/alert-settings.ts';

export const checkRequests = once(
  () =>
    new CheckRequests({
      hasSettings: async (accountId) => hasAlertSettings(resources.table(), accountId),
      queue: () => resources.queue('check-alerts'),
    }),
);
