import { CfnOutput, Duration, Stack, Validations, type StackProps } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, ResponseTransferMode, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { tripwires } from '../../lambdas/platform/logger.ts';
import {
  visibilityTimeoutSeconds,
  type FunctionSpec,
  type QueueName,
  type QueueWorker,
  type Route,
  type ScheduledWorker,
} from '../../lambdas/route.ts';
import { queueWorkers, routes, scheduledWorkers } from '../../lambdas/routes.ts';
import type { GatewayConfig } from '../config.ts';
import type { DataStack } from './data-stack.ts';
import { GatewayFunction, type Resources } from './gateway-function.ts';
import { addRefusals } from './refusals.ts';

/** A standard queue's message keeps its age when it is given up: dead letters must be kept for longer. */
const QUEUE_RETENTION = Duration.days(4);
const DEAD_LETTERS_RETENTION = Duration.days(14);

const queueNames = Object.keys(queueWorkers) as QueueName[];

export interface ApiStackProps extends StackProps {
  config: GatewayConfig;
  data: DataStack;
  bundles: string;
}

/** Everything that runs: the API with a function per route, queues with their workers, schedules and alarms. */
export class ApiStack extends Stack {
  readonly #props: ApiStackProps;
  readonly #resources: Resources;
  readonly #alarms: Topic;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#alarms = this.#createAlarmTopic();
    const deadLetters = this.#perQueue((name) => this.#createDeadLetters(name));
    this.#resources = {
      table: props.data.table,
      secrets: props.data.secrets,
      queues: this.#perQueue((name) => this.#createQueue(name, deadLetters[name])),
      deadLetters,
    };
    for (const name of queueNames) this.#addQueueWorker(name, queueWorkers[name]);
    for (const [name, worker] of Object.entries<ScheduledWorker>(scheduledWorkers)) this.#addSchedule(name, worker);
    this.#addApi();
  }

  #addApi(): void {
    const { config } = this.#props;
    const api = new RestApi(this, 'Api', {
      restApiName: `model-gateway-${config.stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      deployOptions: {
        stageName: 'v1',
        throttlingRateLimit: config.rateLimit,
        throttlingBurstLimit: config.burstLimit,
        metricsEnabled: true,
      },
    });
    addRefusals(api);
    for (const [name, route] of Object.entries<Route>(routes)) {
      const { lambda, logs } = this.#addFunction(name, route);
      const integration = new LambdaIntegration(lambda, {
        allowTestInvoke: false,
        ...(route.streaming
          ? { responseTransferMode: ResponseTransferMode.STREAM, timeout: Duration.seconds(route.timeoutSeconds) }
          : {}),
      });
      for (const path of route.paths) api.root.resourceForPath(path).addMethod(route.method, integration);
      if (route.streaming) {
        const url = lambda.addFunctionUrl({
          authType: FunctionUrlAuthType.NONE,
          invokeMode: InvokeMode.RESPONSE_STREAM,
        });
        new CfnOutput(this, 'StreamingUrl', { value: url.url, description: `Function URL of ${name}` });
      }
      if (route.inference) this.#addTripwires(name, logs);
    }
    const alarm = new Alarm(this, 'ApiErrors', {
      metric: api.metricServerError({ period: Duration.minutes(5), statistic: 'Average' }),
      threshold: 0.02,
      evaluationPeriods: 2,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: 'More than 2 % of requests end with a 5xx. Runbook: docs/operations.md, "5xx".',
    });
    alarm.addAlarmAction(new SnsAction(this.#alarms));
    Validations.of(api).acknowledge(
      { id: 'AwsSolutions-APIG1', reason: 'Functions log one line per request, with an allow-list of fields.' },
      { id: 'AwsSolutions-APIG2', reason: 'Every input is validated with zod inside the function.' },
      { id: 'AwsSolutions-APIG3', reason: 'WAF body rules break clients that send code; a team may attach its own.' },
      { id: 'AwsSolutions-APIG4', reason: 'Functions authenticate the gateway’s own keys.' },
      { id: 'AwsSolutions-APIG6', reason: 'Execution logs hold bodies, and bodies hold prompts.' },
      { id: 'AwsSolutions-COG4', reason: 'Functions authenticate the gateway’s own keys.' },
    );
    new CfnOutput(this, 'BaseUrl', { value: api.url, description: 'Base URL of the API' });
  }

  /** Lines of a log that a person has to look at, whatever else goes well. */
  #addTripwires(name: string, logs: LogGroup): void {
    for (const [tripwire, message] of Object.entries(tripwires)) {
      const id = `${pascalCase(name)}${tripwire[0]!.toUpperCase()}${tripwire.slice(1)}`;
      const filter = logs.addMetricFilter(id, {
        filterPattern: FilterPattern.stringValue('$.message', '=', message),
        metricNamespace: `ModelGateway/${this.#props.config.stage}`,
        metricName: id,
      });
      const alarm = filter.metric({ period: Duration.minutes(5), statistic: 'Sum' }).createAlarm(this, `${id}Alarm`, {
        threshold: 1,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `A provider's ${message}. Runbook: docs/operations.md, "Usage beyond the hold".`,
      });
      alarm.addAlarmAction(new SnsAction(this.#alarms));
    }
  }

  #addFunction(
    name: string,
    spec: FunctionSpec,
    more: { statements?: PolicyStatement[]; environment?: Record<string, string> } = {},
  ): GatewayFunction {
    return new GatewayFunction(this, pascalCase(name), {
      name,
      spec,
      resources: this.#resources,
      bundles: this.#props.bundles,
      environment: { [variables.outputStepTokens]: String(this.#props.config.outputStepTokens), ...more.environment },
      statements: more.statements ?? [],
    });
  }

  #perQueue(create: (name: QueueName) => Queue): Record<QueueName, Queue> {
    return Object.fromEntries(queueNames.map((name) => [name, create(name)])) as Record<QueueName, Queue>;
  }

  #createDeadLetters(name: QueueName): Queue {
    const deadLetters = new Queue(this, `${pascalCase(name)}DeadLetters`, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTERS_RETENTION,
    });
    const alarm = deadLetters
      .metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' })
      .createAlarm(this, `${pascalCase(name)}DeadLettersAlarm`, {
        threshold: 1,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `Messages of ${name} could not be handled. Runbook: docs/operations.md, "Dead letters".`,
      });
    alarm.addAlarmAction(new SnsAction(this.#alarms));
    return deadLetters;
  }

  #createQueue(name: QueueName, deadLetters: Queue): Queue {
    const worker = queueWorkers[name];
    const queue = new Queue(this, `${pascalCase(name)}Queue`, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: QUEUE_RETENTION,
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds(worker)),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: worker.maxReceiveCount },
    });
    const alarm = queue
      .metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) })
      .createAlarm(this, `${pascalCase(name)}AgeAlarm`, {
        threshold: worker.lateAfterSeconds,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 2,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `Messages of ${name} wait for minutes. Runbook: docs/operations.md, "Old messages".`,
      });
    alarm.addAlarmAction(new SnsAction(this.#alarms));
    return queue;
  }

  #addQueueWorker(name: QueueName, worker: QueueWorker): void {
    const queue = this.#resources.queues[name];
    const read = new PolicyStatement({
      sid: 'ReadQueue',
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
      resources: [queue.queueArn],
    });
    const environment = { [queueVariable(name)]: queue.queueUrl };
    this.#addFunction(name, worker, { statements: [read], environment }).lambda.addEventSource(
      new SqsEventSource(queue, {
        batchSize: worker.batchSize,
        reportBatchItemFailures: true,
        maxConcurrency: worker.maxConcurrency,
      }),
    );
  }

  #addSchedule(name: string, worker: ScheduledWorker): void {
    const { lambda } = this.#addFunction(name, worker);
    // The scheduler only hands over: it is Lambda's own queue of events that would run a failed or throttled run again.
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    const role = new Role(this, `${pascalCase(name)}SchedulerRole`, {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      inlinePolicies: {
        invoke: new PolicyDocument({
          statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] })],
        }),
      },
    });
    new Schedule(this, `${pascalCase(name)}Schedule`, {
      schedule: ScheduleExpression.rate(Duration.minutes(worker.everyMinutes)),
      target: new LambdaInvoke(lambda, {
        role: role.withoutPolicyUpdates(),
        // The next run does what this one could not.
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
    const alarm = lambda
      .metricErrors({ period: Duration.minutes(5), statistic: 'Sum' })
      .createAlarm(this, `${pascalCase(name)}ErrorsAlarm`, {
        threshold: 3,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `${name} keeps failing. Runbook: docs/operations.md, "Scheduled workers".`,
      });
    const silence = lambda
      .metricInvocations({ period: Duration.minutes(5), statistic: 'Sum' })
      .createAlarm(this, `${pascalCase(name)}SilenceAlarm`, {
        threshold: 1,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        evaluationPeriods: 2,
        treatMissingData: TreatMissingData.BREACHING,
        alarmDescription: `${name} does not run any more. Runbook: docs/operations.md, "Scheduled workers".`,
      });
    for (const each of [alarm, silence]) each.addAlarmAction(new SnsAction(this.#alarms));
  }

  #createAlarmTopic(): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    const { alarmEmail } = this.#props.config;
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }
}

function pascalCase(name: string): string {
  return name.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
