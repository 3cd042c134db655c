/** The daily sums of an account's requests are split by its reported tags. */

import { readTagSettings, tagSettingsPut, type TagSettings } from '../store/accounts/account-tags.ts';
import { checkVersion, commitChange, retryOnConflict, type ChangeContext } from './change.ts';

/**
 * Replaces the names of the account's reported tags. They apply to days whose rows are computed later.
 * @throws {GatewayError} 409 if other changes keep interfering; 412 if the settings have another version than
 *   `expected`
 */
export async function setReportedTags(
  context: ChangeContext,
  { reported, expected }: { reported: readonly string[]; expected?: number | undefined },
): Promise<TagSettings> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const before = await readTagSettings(table, accountId);
    checkVersion(expected, before.version);
    if (reported.join() === before.reported.join()) return before;
    const settings = { ...before, reported, version: before.version + 1 };
    const outcome = await commitChange(
      context,
      {
        action: 'account.reported_tags',
        target: `account ${accountId}`,
        before: { reported: before.reported },
        after: { reported },
      },
      { settings: tagSettingsPut(table, settings) },
    );
    return outcome.committed ? settings : undefined;
  });
}
