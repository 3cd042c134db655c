/** Page of the console, as encoded in the URL after `#`, for example `#/models/sandbox%2Fclaude?x=1`. */
export interface HashRoute {
  page: string;
  id: string | undefined;
  query: URLSearchParams;
}

export function readHashRoute(hash: string): HashRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', id] = path.split('/', 2).map((part) => safelyDecoded(part));
  return { page: page === '' ? 'overview' : page, id: id === '' ? undefined : id, query: new URLSearchParams(query) };
}

export function hashOf(page: string, id?: string, query: Record<string, string> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  return `#/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search === '' ? '' : `?${search}`}`;
}

export function memberHash(id: string, workspaceId: string): string {
  return hashOf('members', id, { workspace: workspaceId });
}

/** Returns the hash of the page on which a member's budgets can be changed. */
export function budgetsOfMemberHash(id: string, workspaceId: string): string {
  return hashOf('workspaces', workspaceId, { budgets: id });
}

function safelyDecoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
