/** Who spends: the workspaces of the account, with their keys and members. */

import type { ListOf, ShownKey, ShownMember, ShownWorkspace } from './answers.ts';
import type { GatewayClient } from './gateway-client.ts';

/** The console reads so many workspaces of a larger account, and the first hundred keys and members of each. */
const MAX_WORKSPACES_SHOWN = 12;

export interface Owners {
  workspaces: ShownWorkspace[];
  keys: ShownKey[];
  members: ShownMember[];
  /** Some workspaces, keys or members are not in these lists. */
  isPartial: boolean;
}

export async function readOwners(client: GatewayClient, signal: AbortSignal): Promise<Owners> {
  const read = async <Body>(path: string) => (await client.read<ListOf<Body>>(path, signal)).body;
  const workspaces = await read<ShownWorkspace>('/workspaces');
  const shown = workspaces.data.slice(0, MAX_WORKSPACES_SHOWN);
  const inside = await Promise.all(
    shown.map(async ({ id }) =>
      Promise.all([read<ShownKey>(`/keys?workspace_id=${id}`), read<ShownMember>(`/workspaces/${id}/members`)]),
    ),
  );
  return {
    workspaces: shown,
    keys: inside.flatMap(([keys]) => keys.data),
    members: inside.flatMap(([, members]) => members.data),
    isPartial:
      workspaces.total_count > shown.length || inside.flat().some(({ data, total_count }) => total_count > data.length),
  };
}
