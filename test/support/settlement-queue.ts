import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { inject } from 'vitest';
import { encodeSettlement, type Settlement } from '../../lambdas/accounting/settlement.ts';
import { ADDED_ATTRIBUTE } from '../../lambdas/platform/queues/queue.ts';
import { deadLettersVariable, queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { queueWorkers } from '../../lambdas/routes.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startEventSource, type EventSource } from '../../lib/local/event-source.ts';
import { createQueue, startSqs, type LocalSqs } from '../../lib/local/queues.ts';
import { manifestWiring } from '../../lib/local/wiring.ts';
import { setEnvironment } from './process-environment.ts';

/** Queues of settlements, roll-ups and videos in an SQS emulator, with functions in this process. */
export interface SettlementQueue {
  sqs: LocalSqs;
  url: string;
  deadLettersUrl: string;
  rollUpUrl: string;
  videosUrl: string;
  send: (settlement: Settlement) => Promise<void>;
  startWorker: () => Promise<EventSource>;
  stop: () => Promise<void>;
}

export async function startSettlementQueue(table: Table): Promise<SettlementQueue> {
  const sqs = await startSqs();
  const wired = manifestWiring().queues;
  const finalize = await createQueue(sqs, 'finalize-cost', wired['finalize-cost']!);
  const rollUp = await createQueue(sqs, 'roll-up-activity', wired['roll-up-activity']!);
  const videos = await createQueue(sqs, 'advance-videos', wired['advance-videos']!);
  const putBack = setEnvironment({
    [variables.tableName]: table.name,
    [variables.dynamodbEndpoint]: inject('dynamodbEndpoint'),
    [variables.sqsEndpoint]: sqs.endpoint,
    [queueVariable('finalize-cost')]: finalize.url,
    [deadLettersVariable('finalize-cost')]: finalize.deadLettersUrl,
    [queueVariable('roll-up-activity')]: rollUp.url,
    [queueVariable('advance-videos')]: videos.url,
  });
  return {
    sqs,
    ...finalize,
    rollUpUrl: rollUp.url,
    videosUrl: videos.url,
    async send(settlement) {
      const { body: MessageBody, added: StringValue } = encodeSettlement(settlement);
      const MessageAttributes = { [ADDED_ATTRIBUTE]: { DataType: 'String', StringValue } };
      await sqs.client.send(new SendMessageCommand({ QueueUrl: finalize.url, MessageBody, MessageAttributes }));
    },
    async startWorker() {
      const { handler } = await import('../../lambdas/workers/finalize-cost/handler.ts');
      const spec = queueWorkers['finalize-cost'];
      return startEventSource(sqs, finalize.url, spec, (event) =>
        handler(event as Parameters<typeof handler>[0], {
          getRemainingTimeInMillis: () => spec.timeoutSeconds * 1_000,
        }),
      );
    },
    async stop() {
      putBack();
      await sqs.stop();
    },
  };
}
