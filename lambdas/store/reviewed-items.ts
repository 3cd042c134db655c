/** The items that billing reviewers read in an export of the table: which they are, and what their attributes hold. */

import { accountAttributes, balanceEntryAttributes } from './accounts.ts';
import { dailyRowAttributes } from './activity.ts';
import { auditAttributes } from './audit.ts';
import { correctionAttributes } from './corrections.ts';
import { generationAttributes } from './generation.ts';
import { keyAttributes } from './keys.ts';
import { leaseAttributes } from './leases.ts';
import { memberAttributes } from './members.ts';
import { paperAttributes, partyAttributes } from './papers.ts';
import type { Attribute } from './record.ts';
import { provedSpendingAttributes } from './proved-spending.ts';
import { refusalAttributes } from './refusals.ts';
import { sealedDayAttributes } from './seals.ts';
import { jobAttributes } from './video-jobs.ts';
import { workspaceAttributes } from './workspaces.ts';

interface ReviewedItems {
  /** Values of their attribute `entity`. */
  entities: readonly string[];
  attributes: readonly Attribute[];
}

/** By the name that reviewers know them by. */
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
