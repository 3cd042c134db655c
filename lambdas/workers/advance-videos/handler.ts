import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { nowMs } from '../../platform/clock.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import { jobCandidate } from '../../routing/job-candidates.ts';
import { advanceJob } from '../../inference/jobs/advance.ts';
import { decodeJobMessage } from '../../inference/jobs/message.ts';
import { jobBucket } from '../../inference/jobs/objects.ts';
import type { JobTools } from '../../inference/jobs/tools.ts';
import { videoJobs } from '../../inference/videos/kind.ts';
import { describeUnreadable } from '../failure-log.ts';
import { queues } from '../queues.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Continues video jobs. Only failed messages return to the queue. */
export async function handler(event: SQSEvent, context: WorkerContext): Promise<SQSBatchResponse> {
  const tools = toolsFor(context);
  const failed: SQSRecord[] = [];
  await Promise.all(
    event.Records.map(async (record) => {
      try {
        await advanceJob(tools, decodeJobMessage(record.body));
      } catch (error) {
        const attempt = Number(record.attributes.ApproximateReceiveCount);
        const about = {
          worker: 'advance-videos',
          awsRequestId: context.awsRequestId,
          messageId: record.messageId,
          attempt,
        };
        log('error', 'video not advanced', { ...about, ...describeUnreadable(error) });
        failed.push(record);
      }
    }),
  );
  if (failed.length > 0) await queues.returns('advance-videos').retrySoon(failed);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

function toolsFor(context: WorkerContext): JobTools {
  const health = resources.health();
  return {
    kind: videoJobs,
    table: resources.table(),
    bucket: jobBucket(),
    jobs: resources.queue('advance-videos'),
    settlements: resources.queue('finalize-cost'),
    candidateOf: async (modelId, endpointId) => jobCandidate(await servedCatalog(), modelId, endpointId),
    onResult: (endpointId, result) => {
      health.record(endpointId, result);
      if (result === 'failed') void health.publish();
    },
    nowMs,
    remainingMs: () => context.getRemainingTimeInMillis(),
  };
}
