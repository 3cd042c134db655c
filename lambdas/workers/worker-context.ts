import type { Context } from 'aws-lambda';

/** Part of Lambda's context that workers use. On a local gateway, invocations have no id. */
export type WorkerContext = Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>;
