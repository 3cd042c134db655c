import { optionalVariable, variables } from '../../../lambdas/platform/environment.ts';
import { pepperFault, SecretUselessError } from '../../../lambdas/platform/secrets/secret-values.ts';
import { readNamedSecret, readPepper } from '../../../lambdas/platform/secrets/secrets.ts';
import { StartFailure } from '../../shared/failure.ts';
import { isAwsRefusal } from '../command-line/mistakes.ts';
import type { Session } from './session.ts';

const WHERE = 'The output PepperSecretArn of the data stack names it';

/**
 * The pepper, for commands that make keys or secrets from it. A key that is made with another value is stored, and never works.
 * @throws {StartFailure} if no secret of a deployment is named, if it cannot be read, or if its value cannot be the pepper
 */
export async function operatorPepper({ local }: Pick<Session, 'local'>): Promise<string> {
  if (local) return readPepper();
  const arn = optionalVariable(variables.pepperSecret);
  if (arn === undefined) {
    throw new StartFailure(
      `This command needs the pepper of the deployment: put --pepper-secret <arn> before it. ${WHERE}.`,
    );
  }
  const pepper = await readNamedSecret(arn).catch((error: unknown) => {
    if (!(error instanceof SecretUselessError) && !isAwsRefusal(error)) throw error;
    const { message, name } = error as Error;
    throw new StartFailure(`The secret ${arn} cannot be read: ${message} (${name}). ${WHERE}.`);
  });
  const fault = pepperFault(pepper);
  if (fault === undefined) return pepper;
  throw new StartFailure(`The secret ${arn} is not the pepper: ${fault}. ${WHERE}.`);
}
