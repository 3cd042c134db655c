import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { ComparisonOperator, type Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { visibilityTimeoutSeconds, type QueueName, type QueueWorker } from '../../lambdas/route.ts';
import { queueWorkers } from '../../lambdas/routes.ts';
import type { Alarms, AlarmText } from './alarms.ts';
import { pascalCase } from './pascal-case.ts';

/** A message keeps its age when it moves to the dead-letter queue, so that queue needs a longer retention. */
const QUEUE_RETENTION = Duration.days(4);
const DEAD_LETTERS_RETENTION = Duration.days(14);

/**
 * Returns the severity of a queue's alarms. A hold (reserved money) counts against the client's limits until it is
 * settled, so problems with settlements are urgent.
 */
function severityOf(name: QueueName): AlarmText['severity'] {
  return name === 'finalize-cost' ? 'Urgent' : 'Soon';
}

/**
 * Queue of a worker, with its dead-letter queue and alarms. Messages may contain costs to settle, so the queues are
 * retained when the stack is deleted. This class is not a construct, because its queues would then get other logical
 * ids: CloudFormation would replace them, and their messages would stay in the old queues.
 */
export class WorkerQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly warnings: Alarm[];
  readonly #worker: QueueWorker;

  constructor(stack: Stack, name: QueueName, alarms: Alarms) {
    this.#worker = queueWorkers[name];
    this.deadLetters = new Queue(stack, `${pascalCase(name)}DeadLetters`, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTERS_RETENTION,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.queue = new Queue(stack, `${pascalCase(name)}Queue`, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: QUEUE_RETENTION,
      removalPolicy: RemovalPolicy.RETAIN,
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds(this.#worker)),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: this.#worker.maxReceiveCount },
    });
    const period = Duration.minutes(1);
    const dead = this.deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' });
    const deadLetters = alarms.add(`${pascalCase(name)}DeadLettersAlarm`, dead, {
      severity: severityOf(name),
      says: `Messages of ${name} failed and are in the dead letters.`,
      runbook: 'Dead letters',
    });
    const age = alarms.add(`${pascalCase(name)}AgeAlarm`, this.queue.metricApproximateAgeOfOldestMessage({ period }), {
      threshold: this.#worker.lateAfterSeconds,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 2,
      severity: severityOf(name),
      says: `Messages of ${name} have been waiting for minutes.`,
      runbook: 'Old messages',
    });
    this.warnings = [deadLetters, age];
  }

  get reading(): PolicyStatement {
    return new PolicyStatement({
      sid: 'ReadQueue',
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
      resources: [this.queue.queueArn],
    });
  }

  get source(): SqsEventSource {
    const { batchSize, maxConcurrency } = this.#worker;
    return new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true });
  }
}
