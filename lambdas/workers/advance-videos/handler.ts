import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { nowMs } from '../../platform/clock.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import { videoCandidate } from '../../routing/video-candidates.ts';
import { advanceVideo } from '../../inference/videos/advance.ts';
import { decodeVideoMessage } from '../../inference/videos/message.ts';
import { videoBucket } from '../../inference/videos/objects.ts';
import type { VideoTools } from '../../inference/videos/tools.ts';
import { describeUnreadable } from '../failure-log.ts';
import { queues } from '../queues.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Continues the video jobs whose messages are in a batch. Only failed messages return to the queue. They are delivered
 * again after five seconds at first, later after up to two minutes.
 */
export async function handler(event: SQSEvent, context: WorkerContext): Promise<SQSBatchResponse> {
  const tools = toolsFor(context);
  const failed: SQSRecord[] = [];
  await Promise.all(
    event.Records.map(async (record) => {
      try {
        await advanceVideo(tools, decodeVideoMessage(record.body));
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

function toolsFor(context: WorkerContext): VideoTools {
  const health = resources.health();
  return {
    table: resources.table(),
    bucket: videoBucket(),
    jobs: resources.queue('advance-videos'),
    settlements: resources.queue('finalize-cost'),
    candidateOf: async (modelId, endpointId) => videoCandidate(await servedCatalog(), modelId, endpointId),
    onResult: (endpointId, result) => {
      health.record(endpointId, result);
      if (result === 'failed') void health.publish();
    },
    nowMs,
    remainingMs: () => context.getRemainingTimeInMillis(),
  };
}
