import type { RouteName } from '../../../lambdas/routes.ts';
import type { Operation } from '../operation.ts';
import { accountOperations } from './account.ts';
import { budgetsOperations } from './budgets.ts';
import { catalogOperations } from './catalog.ts';
import { inferenceOperations } from './inference.ts';
import { keysOperations } from './keys.ts';
import { membersOperations } from './members.ts';
import { serviceOperations } from './service.ts';
import { workspacesOperations } from './workspaces.ts';

/** Every route of the manifest, as people and programs read it. */
export const operations: Record<RouteName, Operation> = {
  ...inferenceOperations,
  ...catalogOperations,
  ...accountOperations,
  ...keysOperations,
  ...workspacesOperations,
  ...membersOperations,
  ...budgetsOperations,
  ...serviceOperations,
};
