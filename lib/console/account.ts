/** Data of an account for the overview and member pages. Its sums come from the books. */

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

/** Owners of spending: the workspaces of the account, with their keys and members. */
export interface Owners {
  workspaces: ShownWorkspace[];
  keys: ShownKey[];
  members: ShownMember[];
  /** Whether some workspaces, keys or members are missing from these lists. */
  isPartial: boolean;
}

export interface AccountData extends Owners {
  readAtMs: number;
  credits: ShownCredits;
  /** Spending of each of the last thirty completed days, by workspace, key and member. */
  activity: ShownActivity[];
  days: string[];
  /** Names of the tags by which completed days can be split. */
  reportedTags: string[];
  /** Cost of each model today, in this week and in this month. */
  models: ShownSpendingByModel;
  month: ShownStatement;
  latest: ShownRequest[];
  tagBudgets: ShownTagBudget[];
}

/** Returns the slug of a workspace whose id or slug is given. Other text is returned unchanged. */
export function workspaceSlug({ workspaces }: Pick<Owners, 'workspaces'>, idOrSlug: string): string {
  return workspaces.find(({ id }) => id === idOrSlug)?.slug ?? idOrSlug;
}

/** Returns the names of workspaces, by workspace id. */
export function workspaceNames({ workspaces }: Pick<Owners, 'workspaces'>): Map<string, string> {
  return new Map(workspaces.map(({ id, name }) => [id, name]));
}

/**
 * Returns the data of an account with only one member, the member's keys and its workspace, whose limits also apply.
 * The result has no tag budgets. The other data stays that of the account.
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
