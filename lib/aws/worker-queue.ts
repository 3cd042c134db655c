import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { ComparisonOperator, type Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { visibilityTimeoutSeconds, type QueueName, type QueueWorker } from '../../lambdas/route.ts';
import { queueWorkers } from '../../lambdas/routes.ts';
import type { Alarms, AlarmText } from './alarms.ts';
import { pascalCase } from './pascal-case.ts';

/** A standard queue's message keeps its age when it is given up: dead letters must be kept for longer. */
const QUEUE_RETENTION = Duration.days(4);
const DEAD_LETTERS_RETENTION = Duration.days(14);

/** Trouble with settlements is urgent: holds stay counted until they are made. */
function severityOf(name: QueueName): AlarmText['severity'] {
  return name === 'finalize-cost' ? 'Urgent' : 'Soon';
}

/**
 * A worker's queue with its dead letters, and their alarms. Not a construct: its resources stay children of the stack,
 * because other logical ids would replace the queues, with the messages in them: they are money in flight, so they outlive the stack.
 */
export class WorkerQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** They say that its worker is in trouble. */
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
      says: `Messages of ${name} could not be handled.`,
      runbook: 'Dead letters',
    });
    const age = alarms.add(`${pascalCase(name)}AgeAlarm`, this.queue.metricApproximateAgeOfOldestMessage({ period }), {
      threshold: this.#worker.lateAfterSeconds,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 2,
      severity: severityOf(name),
      says: `Messages of ${name} wait for minutes.`,
      runbook: 'Old messages',
    });
    this.warnings = [deadLetters, age];
  }

  /** The worker's right to read the queue. */
  get reading(): PolicyStatement {
    return new PolicyStatement({
      sid: 'ReadQueue',
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
      resources: [this.queue.queueArn],
    });
  }

  /** What hands the queue's messages to the worker. */
  get source(): SqsEventSource {
    const { batchSize, maxConcurrency } = this.#worker;
    return new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true });
  }
}
