import type { AlertSettings } from '../store/alerts/alert-settings.ts';
import { consoleUrl, withLink, type Notice } from './notice.ts';

/** Returns a test notice. */
export function testNotice({ ownerKind, ownerId, baseUrl }: AlertSettings): Notice {
  const notice: Notice = {
    type: 'alert.test',
    subject: 'Model gateway: test of alerts',
    lines: ['This is a test of alerts. Nothing has happened.'],
    data: { set_on: ownerKind, owner_id: ownerId },
  };
  return withLink(notice, consoleUrl(baseUrl, 'overview'));
}
