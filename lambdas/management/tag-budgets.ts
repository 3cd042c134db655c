import type { Money } from '../money/money.ts';
import type { Interval } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { invalidRequest } from '../platform/errors.ts';
import {
  MAX_BUDGETED_TAGS,
  readTagSettings,
  tagSettingsPut,
  type TagBudgets,
  type TagSettings,
} from '../store/accounts/account-tags.ts';
import { limitWrites } from '../store/counters/counter-parts.ts';
import { readCounter } from '../store/counters/counters.ts';
import { isLimited, limitsAttribute } from '../store/counters/limits.ts';
import { tagScope, tagText } from '../store/counters/tag-scopes.ts';
import { sameLimits, withLimit } from './budgets.ts';
import { checkAlertsOf, checkVersion, commitChange, retryOnConflict, type ChangeContext } from './change.ts';

export interface TagBudgetChange {
  name: string;
  value: string;
  interval: Interval;
  /** null removes the budget. */
  limit: Money | null;
  expectedVersion?: number | undefined;
}

/**
 * Sets or removes one budget of a tag. The settings and the tag's counter change in one transaction. Counted amounts
 * stay. Requests are counted while the tag has a budget.
 * @returns the settings of the account after the change
 * @throws {GatewayError} 400 if budgets would not rise from daily to lifetime, or if too many tags have budgets; 409 if
 *   other changes keep interfering; 412 if the version differs from `expectedVersion`
 */
export async function setTagBudget(context: ChangeContext, change: TagBudgetChange): Promise<TagSettings> {
  const { table, accountId } = context;
  const tag = tagText(change.name, change.value);
  const scope = tagScope(accountId, tag);
  return retryOnConflict(async () => {
    const settings = await readTagSettings(table, accountId);
    checkVersion(change.expectedVersion, settings.version);
    const at = new Date(nowMs()).toISOString();
    const known = settings.budgets.find((one) => one.tag === tag);
    const before = known ?? { tag, limits: {}, limitTimes: {}, createdAt: at };
    const { limits, limitTimes } = withLimit(before, change, at);
    if (sameLimits(limits, before.limits)) return settings;
    const others = settings.budgets.filter((one) => one.tag !== tag);
    if (others.length === MAX_BUDGETED_TAGS) throw tooManyTags();
    // The revision is higher than that of earlier budgets, so a hold with outdated limits is refused.
    const revision = (known?.revision ?? (await readCounter(table, scope)).revision) + 1;
    const budgets: TagBudgets[] = [...others, { ...before, limits, limitTimes, revision }];
    const next = {
      ...settings,
      budgets: budgets.filter((one) => isLimited(one.limits)),
      version: settings.version + 1,
    };
    const outcome = await commitChange(
      context,
      {
        action: change.limit ? 'budget.set' : 'budget.delete',
        target: `tag ${change.name}=${change.value}`,
        before: limitsAttribute(before.limits),
        after: limitsAttribute(limits),
      },
      {
        settings: tagSettingsPut(table, next),
        ...(await limitWrites(table, scope, { limits, revision, active: true })),
      },
    );
    if (!outcome.committed) return undefined;
    await checkAlertsOf(context, scope.kind, { countedTags: [tag] });
    return next;
  });
}

function tooManyTags(): Error {
  return invalidRequest(
    'value',
    `cannot get a budget: ${MAX_BUDGETED_TAGS} tags of this account have budgets, the maximum. Remove the budgets of another tag first.`,
  );
}
