import type { Owners } from './account.ts';
import type { ListOf, ShownKey, ShownMember, ShownWorkspace } from './answers.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Maximum number of workspaces whose keys and members are read for a page. */
const MAX_WORKSPACES_SHOWN = 12;

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

const KEYS_PER_READ = 100;
const MAX_KEYS_OF_WORKSPACE = 1_000;

/** Reads the keys of some workspaces. `isPartial` is true if some keys are missing. */
export async function readKeysIn(client: GatewayClient, workspaces: ShownWorkspace[], signal: AbortSignal) {
  const shown = workspaces.slice(0, MAX_WORKSPACES_SHOWN);
  const lists = await Promise.all(shown.map(({ id }) => readKeysOf(client, id, signal)));
  return {
    keys: lists.flatMap(({ keys }) => keys),
    isPartial: workspaces.length > shown.length || lists.some(({ keys, total }) => total > keys.length),
  };
}

async function readKeysOf(client: GatewayClient, workspaceId: string, signal: AbortSignal) {
  const keys: ShownKey[] = [];
  for (let offset = 0; ; offset += KEYS_PER_READ) {
    const path = `/keys?workspace_id=${workspaceId}&limit=${KEYS_PER_READ}&offset=${offset}`;
    const { data, total_count: total } = (await client.read<ListOf<ShownKey>>(path, signal)).body;
    keys.push(...data);
    if (offset + KEYS_PER_READ >= Math.min(total, MAX_KEYS_OF_WORKSPACE)) return { keys, total };
  }
}
