/** The data of an account that the overview and the page of a member show: the books' own sums. */

import type {
  ShownActivity,
  ShownCredits,
  ShownKey,
  ShownMember,
  ShownRequest,
  ShownSpendingByModel,
  ShownStatement,
  ShownWorkspace,
} from './answers.ts';

/** The spenders: the workspaces of the account, with their keys and members. */
export interface Owners {
  workspaces: ShownWorkspace[];
  keys: ShownKey[];
  members: ShownMember[];
  /** Some workspaces, keys or members are not in these lists. */
  isPartial: boolean;
}

export interface AccountData extends Owners {
  readAtMs: number;
  credits: ShownCredits;
  /** Completed days, by workspace, key and member. */
  activity: ShownActivity[];
  days: string[];
  /** The cost of each model so far, today included. */
  models: ShownSpendingByModel;
  month: ShownStatement;
  latest: ShownRequest[];
}

/** The name of each workspace by its id. */
export function workspaceNames({ workspaces }: Pick<Owners, 'workspaces'>): Map<string, string> {
  return new Map(workspaces.map(({ id, name }) => [id, name]));
}

/** The part of an account that is the member's, with the workspace, whose limits hold for the member as well. */
export function dataOfMember(data: AccountData, { id, workspace_id }: ShownMember): AccountData {
  return {
    ...data,
    workspaces: data.workspaces.filter((one) => one.id === workspace_id),
    members: data.members.filter((one) => one.id === id && one.workspace_id === workspace_id),
    keys: data.keys.filter((key) => key.member_id === id && key.workspace_id === workspace_id),
  };
}
