import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeServerBundle } from '../../lib/local/server-bundle.ts';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import type { TestProject } from 'vitest/node';
import { BUNDLED_SERVER } from './once-bundled-server.ts';
import { bundleGateway } from './bundled-gateway.ts';
import { startGateway } from './gateway.ts';
import { COMMON_GATEWAY, type CommonGateway } from './common-gateway.ts';
import { offerOnDemand } from './on-demand.ts';
import { synthesizedDirectory } from './run-directory.ts';
import { installTableRules } from './table-rules/install.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string;
    /** Endpoint of an emulator without the rules of table-rules/. */
    plainDynamodbEndpoint: string;
  }
}

/**
 * Starts a DynamoDB in memory for the whole run. On demand, builds the bundles of the gateway, and starts the shared
 * gateway. With `TEST_TABLE_RULES`, also starts a second DynamoDB, which enforces rules of the real service, as do all
 * emulators that tests start.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  rmSync(synthesizedDirectory, { recursive: true, force: true });
  const plain = await startDynamodb(undefined);
  const hasRules = installTableRules(join(import.meta.dirname, '../../.vitest'));
  const dynamodb = hasRules ? await startDynamodb(undefined) : plain;
  project.provide('dynamodbEndpoint', dynamodb.endpoint);
  project.provide('plainDynamodbEndpoint', plain.endpoint);
  const common = { stop: async () => {} };
  const server = { remove: () => {} };
  const stopOffering = await offerOnDemand({
    bundle: bundleGateway,
    [BUNDLED_SERVER]: async () => {
      const bundle = await makeServerBundle(undefined);
      server.remove = bundle.remove;
      return bundle.program;
    },
    [COMMON_GATEWAY]: async () => {
      const { stop, ...part } = await startCommonGateway(project.config.env as Record<string, string>);
      common.stop = stop;
      return part;
    },
  });
  return async () => {
    await stopOffering();
    await common.stop();
    server.remove();
    await plain.stop();
    if (hasRules) await dynamodb.stop();
  };
}

async function startCommonGateway(env: Record<string, string>): Promise<CommonGateway & { stop: () => Promise<void> }> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'gateway-common-'));
  const { baseUrl, anthropicUrl, streamingUrl, stop } = await startGateway({ args: ['--data', dataDirectory], env });
  return {
    dataDirectory,
    baseUrl,
    anthropicUrl,
    streamingUrl,
    stop: async () => {
      await stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
