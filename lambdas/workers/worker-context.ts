import type { Context } from 'aws-lambda';

/** Part of Lambda's context that workers use. Tests may leave the id out. */
export type WorkerContext = Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>;
