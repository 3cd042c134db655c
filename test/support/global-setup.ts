import { startDynamodb } from '../../lib/local/dynamodb.ts';
import type { TestProject } from 'vitest/node';
import { bundleGateway } from './bundled-gateway.ts';
import { BUNDLED_GATEWAY } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string;
  }
}

/** One real DynamoDB in memory for the whole run, in which every test file has its own table; and the gateway that tests start. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await bundleGateway();
  process.env[BUNDLED_GATEWAY] = '1';
  const dynamodb = await startDynamodb(undefined);
  project.provide('dynamodbEndpoint', dynamodb.endpoint);
  return dynamodb.stop;
}
