import { dailyRowName, type DailyRow, type RowLevel } from '../store/days/activity.ts';
import { addDailySums, dailySumsOf, noDailySums, type FinalGeneration } from './daily-sums.ts';

/**
 * Adds a generation to the rows of its day: the rows of its workspace, its key and, if it has one, its member.
 * @param rows rows by name (`dailyRowName`)
 */
export function addToDayRows(
  rows: Map<string, DailyRow>,
  { payer, outcome }: FinalGeneration,
  of: { shard: number; version: number },
): void {
  const { workspaceId, memberId, keyHash } = payer;
  const owners: { level: RowLevel; memberId: string | undefined; keyHash: string | undefined }[] = [
    { level: 'WORKSPACE', memberId: undefined, keyHash: undefined },
    { level: 'KEY', memberId, keyHash },
    ...(memberId === undefined ? [] : [{ level: 'MEMBER' as const, memberId, keyHash: undefined }]),
  ];
  const { model, modelPermaslug, endpointId, providerName } = outcome;
  const sums = dailySumsOf(outcome);
  for (const owner of owners) {
    const { shard, version } = of;
    const route = { model, modelPermaslug, endpointId, providerName };
    const own: DailyRow = { ...owner, shard, version, workspaceId, ...route, ...noDailySums };
    const name = dailyRowName(own);
    const row = rows.get(name) ?? own;
    addDailySums(row, sums);
    rows.set(name, row);
  }
}
