/** What the overview is made of: the books' own sums, read from several routes. */

import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import type {
  DataOf,
  ListOf,
  ShownActivity,
  ShownCredits,
  ShownKey,
  ShownMember,
  ShownRequest,
  ShownStatement,
  ShownWorkspace,
} from './answers.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Of larger accounts the overview has so many workspaces, and the first hundred keys and members of each. */
const MAX_WORKSPACES_SHOWN = 12;

const DAYS_OF_CURVES = 30;

export interface AccountData {
  readAtMs: number;
  credits: ShownCredits;
  workspaces: ShownWorkspace[];
  keys: ShownKey[];
  members: ShownMember[];
  /** Completed days, by workspace, key and member. */
  activity: ShownActivity[];
  days: string[];
  month: ShownStatement;
  latest: ShownRequest[];
  /** Some workspaces, keys or members are not in these lists. */
  isPartial: boolean;
}

export async function readAccountData(client: GatewayClient, signal: AbortSignal): Promise<AccountData> {
  const nowMs = Date.now();
  const days = Array.from({ length: DAYS_OF_CURVES }, (_, index) => utcDate(nowMs - (DAYS_OF_CURVES - index) * DAY_MS));
  const read = async <Body>(path: string) => (await client.read<Body>(path, signal)).body;
  const [credits, workspaces, activity, month, latest] = await Promise.all([
    read<DataOf<ShownCredits>>('/credits'),
    read<ListOf<ShownWorkspace>>('/workspaces'),
    read<DataOf<ShownActivity[]>>('/activity?group_by=workspace,key,member'),
    read<DataOf<ShownStatement>>(`/statements/${utcDate(nowMs).slice(0, 7)}`),
    read<DataOf<ShownRequest[]>>('/generations?limit=100'),
  ]);
  const shown = workspaces.data.slice(0, MAX_WORKSPACES_SHOWN);
  const inside = await Promise.all(
    shown.map(async ({ id }) =>
      Promise.all([
        read<ListOf<ShownKey>>(`/keys?workspace_id=${id}`),
        read<ListOf<ShownMember>>(`/workspaces/${id}/members`),
      ]),
    ),
  );
  const lists = inside.flat();
  return {
    readAtMs: nowMs,
    credits: credits.data,
    workspaces: shown,
    keys: inside.flatMap(([keys]) => keys.data),
    members: inside.flatMap(([, members]) => members.data),
    activity: activity.data,
    days,
    month: month.data,
    latest: latest.data,
    isPartial:
      workspaces.total_count > shown.length || lists.some(({ data, total_count }) => total_count > data.length),
  };
}
