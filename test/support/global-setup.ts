import { startDynamodb } from '../../lib/local/dynamodb.ts';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string;
  }
}

/** One real DynamoDB in memory for the whole run; every test file has its own table in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dynamodb = await startDynamodb(undefined);
  project.provide('dynamodbEndpoint', dynamodb.endpoint);
  return dynamodb.stop;
}
