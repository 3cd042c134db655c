import { projectDirectory } from '../../../lib/shared/project-directory.ts';
import type { Customer, DeployedGateway } from './deployed-gateway.ts';
import type { Reporter } from './report.ts';

/**
 * Checks that a key has spent the amount that responses reported, and that nothing is held.
 * @param unreportedRub maximum additional amount, for requests whose clients got no response
 */
export async function checkSpent(
  reporter: Reporter,
  gateway: DeployedGateway,
  { step, key, rub, unreportedRub = 0 }: { step: string; key: string; rub: number; unreportedRub?: number },
): Promise<void> {
  const { spentRub, heldRub, isExact } = await gateway.untilSpent(key, rub, unreportedRub);
  reporter.done(
    step,
    isExact,
    `${spentRub} RUB; ${rub} RUB reported${unreportedRub > 0 ? `, up to ${unreportedRub} RUB without an answer` : ''}; ${heldRub} RUB held`,
  );
}

/** Checks that the books of each account agree. */
export async function checkAccounts(
  reporter: Reporter,
  gateway: DeployedGateway,
  customers: readonly Customer[],
  step = 'reconcile --deep',
): Promise<void> {
  const answers: Record<string, unknown>[] = [];
  for (const { accountId } of customers) {
    const reconcile = gateway.admin(projectDirectory, '--account', accountId, 'reconcile', '--deep');
    // The command fails if the books differ.
    answers.push(await reconcile.catch((error: unknown) => ({ sound: false, says: (error as Error).message })));
  }
  const isSound = answers.every((answer) => answer['sound'] === true);
  reporter.done(
    step,
    isSound,
    isSound ? `sound for ${customers.length} accounts` : JSON.stringify(answers).slice(0, 1_000),
  );
}
