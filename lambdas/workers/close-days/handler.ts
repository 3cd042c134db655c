import { closeDays } from '../../accounting/close-days.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';

/** Runs every minute; on all but the first run after midnight it reads one item. */
export async function handler(): Promise<{ sent: number }> {
  const sent = await closeDays(resources.table(), resources.rollUpQueue());
  if (sent > 0) log('info', 'days closed', { worker: 'close-days', count: sent });
  return { sent };
}
