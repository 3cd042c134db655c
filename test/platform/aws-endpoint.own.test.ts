import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointOf, objectEndpointOf } from '../../lambdas/platform/aws/aws-endpoint.ts';
import type { AwsIdentity } from '../../lambdas/platform/aws/aws-identity.ts';
import { profileEndpoints } from '../../lib/admin/session/profile-endpoints.ts';

const credentials = { accessKeyId: 'ID', secretAccessKey: 'SECRET' };
const dynamodb = { id: 'DynamoDB', host: 'dynamodb', isPlainInGovCloud: true };
const secrets = { id: 'Secrets Manager', host: 'secretsmanager' };
const object = { bucket: 'books', key: 'sealed/a.json' };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-profile-'));
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, join(directory, name));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

function identityIn(region: string): AwsIdentity {
  return { credentials: async () => credentials, region: async () => region, endpoints: profileEndpoints };
}

async function bySdk(region: string): Promise<string[]> {
  const seen: string[] = [];
  const requestHandler = {
    handle: (request: { protocol: string; hostname: string; port?: number; path: string }) => {
      const port = request.port === undefined ? '' : `:${request.port}`;
      seen.push(new URL(`${request.protocol}//${request.hostname}${port}${request.path}`).href);
      return Promise.reject(new Error('Nothing is sent'));
    },
  };
  const options = { region, credentials, requestHandler, maxAttempts: 1 };
  await new DynamoDBClient(options).send(new ListTablesCommand()).catch(() => undefined);
  const { bucket: Bucket, key: Key } = object;
  await new S3Client(options).send(new GetObjectCommand({ Bucket, Key })).catch(() => undefined);
  return seen.map((url) => url.replace(/\?.*/, ''));
}

async function byUs(region: string): Promise<string[]> {
  const place = { region, identity: identityIn(region) };
  const urls = [await endpointOf(dynamodb, place), await objectEndpointOf(object, place)];
  return urls.map(({ href }) => href);
}

const on = 'true';
const byVariables: [region: string, variables: Record<string, string>][] = [
  ['eu-central-1', {}],
  ['cn-north-1', {}],
  ['eusc-de-east-1', {}],
  ['us-iso-east-1', {}],
  ['us-isob-east-1', {}],
  ['eu-isoe-west-1', {}],
  ['us-isof-south-1', {}],
  ['us-east-1', { AWS_USE_FIPS_ENDPOINT: on }],
  ['us-gov-west-1', { AWS_USE_FIPS_ENDPOINT: on }],
  ['eu-central-1', { AWS_USE_DUALSTACK_ENDPOINT: on }],
  ['cn-north-1', { AWS_USE_DUALSTACK_ENDPOINT: on }],
  ['eusc-de-east-1', { AWS_USE_DUALSTACK_ENDPOINT: on }],
  ['us-east-1', { AWS_USE_DUALSTACK_ENDPOINT: on, AWS_USE_FIPS_ENDPOINT: on }],
  ['us-east-1', { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }],
  ['us-east-1', { AWS_ENDPOINT_URL: 'http://emulator.example:4566' }],
  ['us-east-1', { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }],
  ['us-east-1', { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' }],
  ['us-east-1', { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: on }],
];

const byProfile: [what: string, file: string, variables: Record<string, string>][] = [
  ['an address of all services', '[default]\nendpoint_url = http://127.0.0.1:4566\n', {}],
  [
    'an address of one service',
    '[default]\nservices = here\nendpoint_url = http://127.0.0.1:4566\n[services here]\ndynamodb =\n  endpoint_url = http://127.0.0.1:8000\n',
    {},
  ],
  [
    'a profile with a name',
    '[profile test]\nuse_fips_endpoint = true\nuse_dualstack_endpoint = true\n',
    { AWS_PROFILE: 'test' },
  ],
  [
    'an address below one of the environment',
    '[default]\nendpoint_url = http://127.0.0.1:4566\n',
    { AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' },
  ],
  [
    'an address that is ignored',
    '[default]\nendpoint_url = http://127.0.0.1:4566\nignore_configured_endpoint_urls = true\n',
    {},
  ],
];

describe('the endpoints of AWS calls', () => {
  it.each(byVariables)('are those of the SDK’s clients: in %s with %j', async (region, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);

    expect(await byUs(region)).toEqual(await bySdk(region));
  });

  it.each(byProfile)('are those of the SDK’s clients with the profile: %s', async (_what, file, variables) => {
    // Each test has its own directory, because the SDK caches a file by its path.
    const path = join(directory, 'config');
    writeFileSync(path, file);
    for (const [name, value] of Object.entries({ ...variables, AWS_CONFIG_FILE: path })) vi.stubEnv(name, value);

    expect(await byUs('eu-central-1')).toEqual(await bySdk('eu-central-1'));
  });

  it('have the service name of the environment variable', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', 'http://127.0.0.1:7000');
    const place = { region: 'eu-central-1', identity: identityIn('eu-central-1') };

    expect((await endpointOf(secrets, place)).origin).toBe('http://127.0.0.1:7000');
  });

  it('include the address of the queue, unless another one is configured', async () => {
    const place = { region: 'eu-central-1', identity: identityIn('eu-central-1'), origin: 'https://queue.example' };
    const sqs = { id: 'SQS', host: 'sqs' };

    expect((await endpointOf(sqs, place)).origin).toBe('https://queue.example');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
    expect((await endpointOf(sqs, place)).origin).toBe('http://127.0.0.1:4566');
  });
});
