/** Commands that need the pepper of a deployment, with a Secrets Manager of the test. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { operatorPepper } from '../../lib/admin/session/operator-pepper.ts';
import { mistakeIn } from '../../lib/admin/command-line/mistakes.ts';
import { listen, type Listening } from '../support/listen.ts';

const secrets: Record<string, string> = {
  pepper: 'p'.repeat(64),
  'provider-keys': JSON.stringify({ ANTHROPIC_API_KEY: `sk-ant-${'x'.repeat(40)}` }),
  short: 'sk-ant',
};
let manager: Listening;
beforeAll(async () => {
  manager = await listen(
    createServer((request, response) => {
      void json(request).then((asked) => {
        const SecretString = secrets[(asked as { SecretId: string }).SecretId];
        response.writeHead(SecretString === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(JSON.stringify(SecretString ? { SecretString } : { __type: 'ResourceNotFoundException' }));
      });
    }),
  );
});
afterAll(() => manager.stop());
afterEach(() => vi.unstubAllEnvs());

/** Returns the pepper, or the error message for the operator. */
function pepperFor(secret: string | undefined): Promise<string | undefined> {
  const environment = {
    [variables.pepperSecret]: secret,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return operatorPepper({ local: undefined }).catch(mistakeIn);
}

it('the pepper on AWS is the secret of --pepper-secret', async () => {
  expect(await pepperFor('pepper')).toBe(secrets['pepper']);
});

it.each([
  ['no secret is named', undefined, /Put --pepper-secret <arn> before the command.*PepperSecretArn/],
  ['the provider keys are named', 'provider-keys', /is not the pepper: it must be a random text, and is a JSON object/],
  ['a short secret is named', 'short', /is not the pepper: it must have at least 32 characters/],
  ['there is no such secret', 'nowhere', /cannot be read:.*ResourceNotFoundException/],
])('the pepper on AWS is refused without showing a secret if %s', async (_, secret, sentence) => {
  const said = await pepperFor(secret);

  expect(said).toMatch(sentence);
  expect(said).not.toContain('sk-ant');
});
