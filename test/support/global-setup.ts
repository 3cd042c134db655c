import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import type { TestProject } from 'vitest/node';
import { bundleGateway } from './bundled-gateway.ts';
import { startGateway } from './gateway.ts';
import { BUNDLED_GATEWAY } from './programs.ts';
import { synthesizedDirectory } from './run-directory.ts';
import { installTableRules } from './table-rules/install.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string;
    /** The emulator as it is, also where the run has rules. */
    plainDynamodbEndpoint: string;
  }
}

/**
 * One DynamoDB in memory for the whole run, in which every test file has its own table; the gateway that tests start, and one that runs
 * for all who only are its clients (common-gateway.ts). With
 * `TEST_TABLE_RULES` each emulator of the run has the real service's rules (table-rules/settings.ts).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  rmSync(synthesizedDirectory, { recursive: true, force: true });
  await bundleGateway();
  process.env[BUNDLED_GATEWAY] = '1';
  const plain = await startDynamodb(undefined);
  const hasRules = installTableRules(join(import.meta.dirname, '../../.vitest'));
  const dynamodb = hasRules ? await startDynamodb(undefined) : plain;
  project.provide('dynamodbEndpoint', dynamodb.endpoint);
  project.provide('plainDynamodbEndpoint', plain.endpoint);
  const dataDirectory = mkdtempSync(join(tmpdir(), 'gateway-common-'));
  const common = await startGateway({
    args: ['--data', dataDirectory],
    env: project.config.env as Record<string, string>,
  });
  const { baseUrl, anthropicUrl, streamingUrl } = common;
  project.provide('commonGateway', { dataDirectory, baseUrl, anthropicUrl, streamingUrl });
  return async () => {
    await common.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
    await plain.stop();
    if (hasRules) await dynamodb.stop();
  };
}
