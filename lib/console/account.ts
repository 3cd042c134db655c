import type {
  ShownActivity,
  ShownCredits,
  ShownKey,
  ShownMember,
  ShownRequest,
  ShownSpendingByModel,
  ShownStatement,
  ShownTagBudget,
  ShownWorkspace,
} from './answers.ts';

export interface Owners {
  workspaces: ShownWorkspace[];
  keys: ShownKey[];
  members: ShownMember[];
  /** Whether some workspaces, keys or members are missing. */
  isPartial: boolean;
}

export interface AccountData extends Owners {
  readAtMs: number;
  credits: ShownCredits;
  /** Spending of the last thirty completed days, by workspace, key and member. */
  activity: ShownActivity[];
  days: string[];
  /** Tags by which completed days can be split. */
  reportedTags: string[];
  models: ShownSpendingByModel;
  month: ShownStatement;
  latest: ShownRequest[];
  tagBudgets: ShownTagBudget[];
}

/** Returns the slug of a workspace whose id or slug is given; other text is returned unchanged. */
export function workspaceSlug({ workspaces }: Pick<Owners, 'workspaces'>, idOrSlug: string): string {
  return workspaces.find(({ id }) => id === idOrSlug)?.slug ?? idOrSlug;
}

export function workspaceNames({ workspaces }: Pick<Owners, 'workspaces'>): Map<string, string> {
  return new Map(workspaces.map(({ id, name }) => [id, name]));
}

/**
 * Returns the data of an account with only one member, the member's keys and its workspace, and without tag budgets.
 */
export function dataOfMember(data: AccountData, { id, workspace_id }: ShownMember): AccountData {
  return {
    ...data,
    workspaces: data.workspaces.filter((one) => one.id === workspace_id),
    members: data.members.filter((one) => one.id === id && one.workspace_id === workspace_id),
    keys: data.keys.filter((key) => key.member_id === id && key.workspace_id === workspace_id),
    tagBudgets: [],
  };
}
