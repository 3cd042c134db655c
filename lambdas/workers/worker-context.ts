import type { Context } from 'aws-lambda';

/** The part of Lambda's context that workers use. On one machine, calls have no id. */
export type WorkerContext = Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>;
