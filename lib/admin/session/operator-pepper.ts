import { optionalVariable, variables } from '../../../lambdas/platform/environment.ts';
import { pepperFault, SecretUselessError } from '../../../lambdas/platform/secrets/secret-values.ts';
import { readNamedSecret, readPepper } from '../../../lambdas/platform/secrets/secrets.ts';
import { StartFailure } from '../../shared/failure.ts';
import { isAwsRefusal } from '../command-line/mistakes.ts';
import type { Session } from './session.ts';

const WHERE = 'Use the output PepperSecretArn of the data stack';

/**
 * Returns the pepper (a secret that is part of every key's hash). A key that is created with a wrong pepper never
 * works.
 * @throws {StartFailure} if the secret of a deployment is missing, cannot be read, or cannot be a pepper
 */
export async function operatorPepper({ local }: Pick<Session, 'local'>): Promise<string> {
  if (local) return readPepper();
  const arn = optionalVariable(variables.pepperSecret);
  if (arn === undefined) {
    throw new StartFailure(
      `This command needs the pepper of the deployment. Put --pepper-secret <arn> before the command. ${WHERE}.`,
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
