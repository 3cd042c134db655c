import { Duration, Validations, type Stack } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import type { CanaryMinutes } from './config.ts';
import type { Alarms } from './alarms.ts';
import { ownMetric } from './own-metrics.ts';
import { pascalCase } from './pascal-case.ts';

const configs: Record<Exclude<CanaryMinutes, 0>, keyof typeof LambdaDeploymentConfig> = {
  5: 'CANARY_10PERCENT_5MINUTES',
  10: 'CANARY_10PERCENT_10MINUTES',
  15: 'CANARY_10PERCENT_15MINUTES',
  30: 'CANARY_10PERCENT_30MINUTES',
};

/**
 * Number of failures in five minutes at which the new code is rolled back.
 *
 * Weakness: with few requests, failures of the new code may be noticed only after it gets all requests. There is no
 * automatic rollback then.
 */
const MANY_FAILURES = 3;
const WINDOW = Duration.minutes(5);

/**
 * Shifts the traffic of some functions gradually to their new code. If an alarm is raised during the shift, CodeDeploy
 * switches the traffic back to the old code.
 */
export class GradualChange {
  readonly #alarms: Alarms;
  readonly #minutes: CanaryMinutes;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #faults: IAlarm;
  /**
   * Alarm on failed settlements. Lambda does not count them as errors, because the worker returns the messages to its
   * queue.
   */
  readonly failedSettlements: IAlarm;

  constructor(stack: Stack, alarms: Alarms, { minutes, namespace }: { minutes: CanaryMinutes; namespace: string }) {
    this.#alarms = alarms;
    this.#minutes = minutes;
    this.#application = new LambdaApplication(stack, 'Changes');
    this.#role = new Role(stack, 'ChangesRole', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'It is what CodeDeploy needs to move an alias and to read alarms, and AWS keeps it so.',
    });
    this.#faults = alarms.add('FaultsAlarm', ownMetric(namespace, 'Faults'), {
      threshold: MANY_FAILURES,
      severity: 'Soon',
      says: 'Requests fail because of faults of the gateway itself.',
      runbook: '5xx',
    });
    this.failedSettlements = alarms.add('SettlementFailedAlarm', ownMetric(namespace, 'SettlementFailed'), {
      threshold: MANY_FAILURES,
      severity: 'Urgent',
      says: 'Settlements fail, and not because the table is busy.',
      runbook: 'Settlements that fail',
    });
  }

  /**
   * Creates the alias that callers use instead of the function.
   * @param warnings further alarms that roll back the function's new code
   */
  aliasOf(name: string, lambda: LambdaFunction, warnings: IAlarm[] = []): IFunction {
    const id = pascalCase(name);
    const { stack } = lambda;
    const alias = new Alias(stack, `${id}Live`, {
      aliasName: 'live',
      version: lambda.currentVersion as IVersion,
    });
    const text = { severity: 'Urgent', says: `${name} fails before it can answer.`, runbook: '5xx' } as const;
    const failing = this.#alarms.add(
      `${id}LiveErrorsAlarm`,
      alias.metricErrors({ period: WINDOW, statistic: 'Sum' }),
      { ...text, threshold: MANY_FAILURES },
      stack,
    );
    if (this.#minutes === 0) return alias as IFunction;
    new LambdaDeploymentGroup(stack, `${id}Change`, {
      application: this.#application,
      alias,
      role: this.#role,
      deploymentConfig: LambdaDeploymentConfig[configs[this.#minutes]] as LambdaDeploymentConfig,
      alarms: [failing, this.#faults, ...warnings],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    return alias as IFunction;
  }
}
