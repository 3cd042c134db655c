import { startDynamodb } from '../../lib/local/dynamodb.ts';
import type { TestProject } from 'vitest/node';
import { BUNDLED_GATEWAY, bundleGateway } from './bundled-gateway.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string;
  }
}

/** One real DynamoDB in memory for the whole run, in which every test file has its own table; and the gateway that tests start. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env[BUNDLED_GATEWAY] = await bundleGateway();
  const dynamodb = await startDynamodb(undefined);
  project.provide('dynamodbEndpoint', dynamodb.endpoint);
  return dynamodb.stop;
}
