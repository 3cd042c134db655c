import { CfnOutput, Duration, NestedStack, Stack, Validations, type StackProps } from 'aws-cdk-lib';
import {
  EndpointType,
  type IResource,
  LambdaIntegration,
  ResponseTransferMode,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { type ManagedPolicy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType, type IFunction, InvokeMode, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Construct } from 'constructs';
import { queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { secretTripwires, tripwires } from '../../lambdas/platform/logger.ts';
import {
  binaryMediaTypes,
  integrationSeconds,
  type FunctionSpec,
  type QueueName,
  type QueueWorker,
  type Route,
  type ScheduledWorker,
} from '../../lambdas/route.ts';
import { functions, queueWorkers, routes, scheduledWorkers, UNKNOWN_ROUTE } from '../../lambdas/routes.ts';
import type { GatewayConfig } from './config.ts';
import { Alarms, type AlarmText } from './alarms.ts';
import type { DataStack } from './data-stack.ts';
import { readData } from './data-values.ts';
import { createDashboard } from './dashboard.ts';
import { addErrorsAlarm, addOperatorAlarm } from './entry-point-alarms.ts';
import { GatewayFunction } from './gateway-function.ts';
import type { Resources } from './grants.ts';
import { acknowledgeBedrock, bedrockStatements } from './bedrock.ts';
import { addDomain, addRateRule } from './domain.ts';
import { GradualChange } from './gradual-change.ts';
import { createMailTopic } from './mail-topic.ts';
import { paceApi, paceFunctions } from './paced-creation.ts';
import { pascalCase } from './pascal-case.ts';
import { addRefusals } from './refusals.ts';
import { createBooksBucket, createReviewerPolicy } from './books-bucket.ts';
import { RUNS_AT_ONCE, reservesConcurrency } from './reserved-concurrency.ts';
import { addScheduleAlarms } from './schedule-alarms.ts';
import { addConcurrencyAlarm, addTableAlarms, addThrottleAlarms } from './throttle-alarms.ts';
import { addTripwires, tripwireTexts, workerTripwires } from './tripwires.ts';
import { addWebServer } from './web-server.ts';
import { createVideoBucket } from './video-bucket.ts';
import { WorkerQueue } from './worker-queue.ts';

const queueNames = Object.keys(queueWorkers) as QueueName[];

/** Stage name of the API: the first segment of every path in its default URL. */
const STAGE_NAME = 'v1';

const eachFiveMinutes = { period: Duration.minutes(5), statistic: 'Sum' };

interface FunctionSettings {
  scope?: Stack;
  statements?: PolicyStatement[];
  environment?: Record<string, string>;
  reservedConcurrency?: number;
}

export interface ApiStackProps extends StackProps {
  config: GatewayConfig;
  data: DataStack;
  bundles: string;
}

/** Stack of the API, the functions, queues, alarms and everything else that is not in the data or books stack. */
export class ApiStack extends Stack {
  readonly books: Bucket;
  readonly reviewer: ManagedPolicy;
  readonly #props: ApiStackProps;
  readonly #resources: Resources;
  readonly #alarms: Alarms;
  readonly #change: GradualChange;
  /** A template may have at most 500 resources, so some are in nested stacks. */
  readonly #routes: NestedStack;
  readonly #alerts: NestedStack;
  readonly #functions: Record<string, GatewayFunction> = {};

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    // Without the stack, nothing would process the unsettled costs in the queues, so deletion is blocked by default.
    super(scope, id, { ...props, terminationProtection: props.config.terminationProtection });
    this.#props = props;
    this.#alarms = new Alarms(this, props.config.alarmEmail);
    this.#change = new GradualChange(this, this.#alarms, {
      minutes: props.config.canaryMinutes,
      namespace: this.#namespace,
    });
    this.#routes = new NestedStack(this, 'Routes', { description: 'Model gateway: functions of routes' });
    this.#alerts = new NestedStack(this, 'Alerts', { description: 'Model gateway: routes and workers of alerts' });
    const bucket = createVideoBucket(this, props.config.corsOrigins !== '');
    this.books = createBooksBucket(this, props.config.booksLockDays);
    this.#resources = {
      ...readData(this, props.data, props.config),
      bucket,
      books: this.books,
      mails: createMailTopic(this),
      queues: this.#createQueues(),
    };
    this.reviewer = this.#addReviewer();
    for (const name of queueNames) this.#addQueueWorker(name, this.#resources.queues[name]);
    for (const [name, worker] of Object.entries<ScheduledWorker>(scheduledWorkers)) this.#addSchedule(name, worker);
    this.#addApi();
    let serverLogs: LogGroup | undefined;
    if (props.config.streamRuntime === 'web') {
      serverLogs = addWebServer(this, this.#alarms, {
        config: props.config,
        resources: this.#resources,
        bundles: props.bundles,
        environment: this.#environment,
        namespace: this.#namespace,
      });
    }
    paceFunctions(Object.values(this.#functions).map(({ lambda }) => lambda));
    this.#addThrottleAlarms();
    createDashboard(this, {
      namespace: this.#namespace,
      table: this.#resources.table,
      queues: this.#resources.queues,
      functions: this.#functions,
      serverLogs,
    });
  }

  get #namespace(): string {
    return `ModelGateway/${this.#props.config.stage}`;
  }

  #addThrottleAlarms(): void {
    const { config } = this.#props;
    for (const [of, names] of Object.entries({
      Spending: Object.keys(functions).filter((name) => (functions[name] as Route).inference),
      Worker: [...queueNames, ...Object.keys(scheduledWorkers)],
    })) {
      addThrottleAlarms(
        this.#alarms,
        of,
        names.map((name) => this.#functions[name]!.lambda),
      );
    }
    addConcurrencyAlarm(this, this.#alarms, config.concurrency);
    addTableAlarms(this.#alarms, this.#resources.table);
  }

  #addReviewer(): ManagedPolicy {
    const reviewer = createReviewerPolicy(this, this.#resources);
    new CfnOutput(this, 'BooksBucketName', {
      value: this.books.bucketName,
      description: 'Bucket that the table is exported to',
    });
    new CfnOutput(this, 'ReviewerPolicyArn', {
      value: reviewer.managedPolicyArn,
      description: 'Policy that allows downloading exports; attach it to a role of billing reviewers',
    });
    return reviewer;
  }

  #addApi(): void {
    const { config } = this.#props;
    const api = new RestApi(this, 'Api', {
      restApiName: `model-gateway-${config.stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes,
      cloudWatchRole: false,
      deployOptions: {
        stageName: STAGE_NAME,
        throttlingRateLimit: config.rateLimit,
        throttlingBurstLimit: config.burstLimit,
        // Metrics for each method cost money, and no alarm or graph uses them. Metrics of the whole API are free.
        metricsEnabled: false,
      },
    });
    addRefusals(api, config.corsOrigins);
    for (const [name, route] of Object.entries<Route>(routes)) {
      const { lambda, logs } = route.callsBedrock ? this.#addInvoker(name, route) : this.#addRouteFunction(name, route);
      const live: IFunction = route.changesGradually ? this.#change.aliasOf(name, lambda) : lambda;
      const called = this.#calledBy(api, live, { name, route });
      const integration = new LambdaIntegration(called, {
        allowTestInvoke: false,
        ...(route.streaming
          ? {
              responseTransferMode: ResponseTransferMode.STREAM,
              timeout: Duration.seconds(integrationSeconds(route)),
            }
          : {}),
      });
      for (const path of route.paths) api.root.resourceForPath(path).addMethod(route.method, integration);
      if (route.functionUrl && config.functionUrl) this.#addFunctionUrl(name, live);
      if (route.callsProviders) {
        this.#addTripwires(name, logs, tripwires, tripwireTexts.usage);
        if (name === 'create-message') this.#addTripwires(name, logs, secretTripwires, tripwireTexts.secrets);
      }
    }
    this.#addUnknownRoute(api);
    paceApi(api);
    addOperatorAlarm(this.#alarms, this.#namespace);
    addErrorsAlarm(this.#alarms, 'ApiErrors', {
      namespace: this.#namespace,
      door: 'api',
      name: 'the API',
      requests: api.metricCount(eachFiveMinutes),
      failures: api.metricServerError(eachFiveMinutes),
    });
    Validations.of(api).acknowledge(
      { id: 'AwsSolutions-APIG1', reason: 'Functions log one line per request, with an allow-list of fields.' },
      { id: 'AwsSolutions-APIG2', reason: 'Every input is validated with zod inside the function.' },
      { id: 'AwsSolutions-APIG3', reason: 'WAF body rules break clients that send code; a team may attach its own.' },
      { id: 'AwsSolutions-APIG4', reason: 'Functions authenticate the gateway’s own keys.' },
      { id: 'AwsSolutions-APIG6', reason: 'Execution logs hold bodies, and bodies hold prompts.' },
      { id: 'AwsSolutions-COG4', reason: 'Functions authenticate the gateway’s own keys.' },
    );
    const { domain, certificateArn, requestsPerKey } = config;
    if (domain !== undefined) addDomain(this, api, domain, certificateArn!);
    if (requestsPerKey !== undefined) addRateRule(this, api, requestsPerKey);
    api.node.tryRemoveChild('Endpoint');
    new CfnOutput(this, 'BaseUrl', { value: api.url, description: 'Base URL of the API' });
    new CfnOutput(this, 'StageArn', {
      value: api.deploymentStage.stageArn,
      description: 'Stage of the API, for a WAF',
    });
  }

  /**
   * Lets API Gateway invoke a function or its alias. A wildcard must replace each path parameter:
   * https://github.com/aws/serverless-application-model/issues/110.
   */
  #calledBy(api: RestApi, lambda: IFunction, { name, route }: { name: string; route: Route }): IFunction {
    for (const [index, path] of route.paths.entries()) {
      lambda.addPermission(`Path${index}`, {
        principal: new ServicePrincipal('apigateway.amazonaws.com'),
        sourceArn: api.arnForExecuteApi(route.method, path.replaceAll(/\{[^}]*\}/g, '*'), STAGE_NAME),
      });
    }
    return LambdaFunction.fromFunctionAttributes(this, `${pascalCase(name)}Route`, {
      functionArn: lambda.functionArn,
      skipPermissions: true,
    });
  }

  /** Adds the URL of the streaming function, and an alarm, because the API's alarm omits requests to this URL. */
  #addFunctionUrl(name: string, lambda: IFunction): void {
    const { url } = lambda.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    });
    new CfnOutput(this, 'StreamingUrl', { value: url, description: `Function URL of ${name}` });
    addErrorsAlarm(this.#alarms, 'FunctionUrlErrors', {
      namespace: this.#namespace,
      door: 'url',
      name: 'the function URL',
      requests: lambda.metric('UrlRequestCount', eachFiveMinutes),
      failures: lambda.metric('Url5xxCount', eachFiveMinutes),
    });
  }

  /**
   * Adds methods for unknown paths and HTTP methods. If a request matches no method, API Gateway may parse its bearer
   * key as an AWS signature, and repeat the key in the error message. So every resource has a method that matches all
   * other HTTP methods, and a catch-all resource covers unknown paths.
   */
  #addUnknownRoute(api: RestApi): void {
    const { lambda } = this.#addRouteFunction(UNKNOWN_ROUTE, functions[UNKNOWN_ROUTE]!);
    const integration = new LambdaIntegration(lambda, { scopePermissionToMethod: false });
    const resources = new Set<IResource>([api.root, api.root.addResource('{path+}')]);
    for (const path of Object.values<Route>(routes).flatMap(({ paths }) => paths)) {
      for (let resource: IResource | undefined = api.root.resourceForPath(path); resource;) {
        resources.add(resource);
        resource = resource.parentResource;
      }
    }
    for (const resource of resources) resource.addMethod('ANY', integration);
  }

  #addInvoker(name: string, route: Route): GatewayFunction {
    const { bedrockModels } = this.#props.config;
    const invoker = this.#addRouteFunction(name, route, { statements: bedrockStatements(bedrockModels) });
    acknowledgeBedrock(invoker, bedrockModels);
    return invoker;
  }

  #addTripwires(name: string, logs: LogGroup, lines: Record<string, string>, about: Omit<AlarmText, 'says'>): void {
    addTripwires(this.#alarms, name, { logs, namespace: this.#namespace, lines, about });
  }

  #stackOf(name: string, usual: Stack = this): Stack {
    return /alert/.test(name) ? this.#alerts : usual;
  }

  #addWorkerTripwires(name: string, logs: LogGroup): void {
    for (const [lines, about] of workerTripwires[name] ?? []) this.#addTripwires(name, logs, lines, about);
  }

  /** Adds a route's function. A function with a URL stays in this template, because moving it would change its URL. */
  #addRouteFunction(
    name: string,
    route: FunctionSpec & { functionUrl?: boolean },
    more: FunctionSettings = {},
  ): GatewayFunction {
    return this.#addFunction(name, route, {
      scope: route.functionUrl ? this : this.#stackOf(name, this.#routes),
      ...more,
    });
  }

  #addFunction(name: string, spec: FunctionSpec, { scope = this, ...more }: FunctionSettings = {}): GatewayFunction {
    const { timestampAuthority } = this.#props.config;
    return (this.#functions[name] = new GatewayFunction(scope, pascalCase(name), {
      name,
      spec,
      resources: this.#resources,
      bundles: this.#props.bundles,
      environment: {
        ...this.#environment,
        ...(spec.grants.seals && timestampAuthority ? { [variables.timestampAuthority]: timestampAuthority } : {}),
        ...more.environment,
      },
      statements: more.statements ?? [],
      reservedConcurrency: reservesConcurrency(this.#props.config) ? more.reservedConcurrency : undefined,
    }));
  }

  get #environment(): Record<string, string> {
    const { variables: named, outputStepTokens, corsOrigins } = this.#props.config;
    return {
      ...named,
      [variables.metricsNamespace]: this.#namespace,
      [variables.outputStepTokens]: String(outputStepTokens),
      ...(corsOrigins === '' ? {} : { [variables.corsOrigins]: corsOrigins }),
    };
  }

  #createQueues(): Record<QueueName, WorkerQueue> {
    const queues = queueNames.map((name) => [name, new WorkerQueue(this, name, this.#alarms)]);
    return Object.fromEntries(queues) as Record<QueueName, WorkerQueue>;
  }

  #addQueueWorker(name: QueueName, { queue, reading, source, warnings }: WorkerQueue): void {
    const environment = { [queueVariable(name)]: queue.queueUrl };
    const worker: QueueWorker = queueWorkers[name];
    const { lambda, logs } = this.#addFunction(name, worker, {
      scope: this.#stackOf(name),
      statements: [reading],
      environment,
      reservedConcurrency: worker.maxConcurrency,
    });
    const { failedSettlements } = this.#change;
    const all = name === 'finalize-cost' ? [...warnings, failedSettlements] : warnings;
    const called: IFunction = worker.changesGradually ? this.#change.aliasOf(name, lambda, all) : lambda;
    called.addEventSource(source);
    this.#addWorkerTripwires(name, logs);
  }

  #addSchedule(name: string, worker: ScheduledWorker): void {
    const scope = this.#stackOf(name);
    const { lambda, logs } = this.#addFunction(name, worker, { scope, reservedConcurrency: RUNS_AT_ONCE });
    this.#addWorkerTripwires(name, logs);
    // The scheduler invokes asynchronously. By default, Lambda would retry failed or throttled invocations.
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    const role = new Role(scope, `${pascalCase(name)}SchedulerRole`, {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      inlinePolicies: {
        invoke: new PolicyDocument({
          statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] })],
        }),
      },
    });
    new Schedule(scope, `${pascalCase(name)}Schedule`, {
      schedule: ScheduleExpression.rate(Duration.minutes(worker.everyMinutes)),
      target: new LambdaInvoke(lambda, {
        role: role.withoutPolicyUpdates(),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
    addScheduleAlarms(this.#alarms, name, lambda, scope);
  }
}
