/** Items that billing reviewers read in an export of the table. */

import { accountAttributes, balanceEntryAttributes } from '../accounts/accounts.ts';
import { dailyRowAttributes } from './activity.ts';
import { auditAttributes } from '../accounts/audit.ts';
import { correctionAttributes } from '../generations/corrections.ts';
import { generationAttributes } from '../generations/generation.ts';
import { keyAttributes } from '../accounts/keys.ts';
import { leaseAttributes } from '../counters/leases.ts';
import { memberAttributes } from '../accounts/members.ts';
import { paperAttributes, partyAttributes } from '../accounts/papers.ts';
import type { Attribute } from '../table/record.ts';
import { provedSpendingAttributes } from '../counters/proved-spending.ts';
import { refusalAttributes } from '../generations/refusals.ts';
import { sealedDayAttributes } from './seals.ts';
import { jobAttributes } from '../generations/provider-jobs.ts';
import { workspaceAttributes } from '../accounts/workspaces.ts';

interface ReviewedItems {
  entities: readonly string[];
  attributes: readonly Attribute[];
}

export const reviewedItems: Readonly<Record<string, ReviewedItems>> = {
  accounts: { entities: ['account'], attributes: accountAttributes },
  payments: { entities: ['top_up', 'refund', 'adjustment'], attributes: balanceEntryAttributes },
  parties: { entities: ['party'], attributes: partyAttributes },
  papers: { entities: ['paper'], attributes: paperAttributes },
  workspaces: { entities: ['workspace'], attributes: workspaceAttributes },
  members: { entities: ['member'], attributes: memberAttributes },
  keys: { entities: ['key'], attributes: keyAttributes },
  generations: { entities: ['generation'], attributes: generationAttributes },
  leases: { entities: ['lease'], attributes: leaseAttributes },
  corrections: { entities: ['correction'], attributes: correctionAttributes },
  refusals: { entities: ['refusal'], attributes: refusalAttributes },
  videos: { entities: ['video_job'], attributes: jobAttributes },
  daily_rows: { entities: ['activity_row'], attributes: dailyRowAttributes },
  sealed_days: { entities: ['sealed_day'], attributes: sealedDayAttributes },
  proved_spending: { entities: ['proved_spending'], attributes: provedSpendingAttributes },
  audit: { entities: ['audit'], attributes: auditAttributes },
};
