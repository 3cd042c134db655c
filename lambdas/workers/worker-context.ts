import type { Context } from 'aws-lambda';

/** The part of Lambda's context that workers use. Whoever calls them on one machine has no id of a call. */
export type WorkerContext = Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>;
