import { Annotations, CfnOutput, type Stack } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  TreatMissingData,
  type Alarm,
  type CreateAlarmOptions,
  type MathExpression,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';

export interface AlarmText {
  /**
   * `Urgent`: clients or money are or will soon be affected, so the person on call is woken even at night. `Soon`: for
   * the next working day.
   */
  severity: 'Urgent' | 'Soon';
  says: string;
  /** Heading in docs/operations/alarms.md that describes what to do. */
  runbook: string;
}

export class Alarms {
  readonly #stack: Stack;
  readonly #topic: Topic;

  constructor(stack: Stack, email: string | undefined) {
    this.#stack = stack;
    this.#topic = new Topic(stack, 'Alarms', { enforceSSL: true });
    this.#admitAlarms();
    if (email) this.#topic.addSubscription(new EmailSubscription(email));
    else {
      Annotations.of(this.#topic).addWarningV2(
        'model-gateway:alarms-reach-nobody',
        'Nobody receives the alarms. Set gateway:alarmEmail, or subscribe to the topic in the output AlarmTopicArn.',
      );
    }
    new CfnOutput(stack, 'AlarmTopicArn', { value: this.#topic.topicArn, description: 'Topic of all alarms' });
  }

  /** Allows alarms to publish to the topic: `enforceSSL` replaces the default policy, which has this permission. */
  #admitAlarms(): void {
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'Alarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.#topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.#stack.account } },
      }),
    );
  }

  /**
   * Adds an alarm. By default it is raised if the metric's value in one period is 1 or more, and missing data counts as
   * no breach.
   * @param template stack of the alarm, if it differs from the topic's stack
   */
  add(
    id: string,
    metric: Metric | MathExpression,
    { severity, says, runbook, ...props }: AlarmText & Partial<CreateAlarmOptions>,
    template: Stack = this.#stack,
  ): Alarm {
    const alarm = metric.createAlarm(template, id, {
      threshold: 1,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${severity}: ${says} Runbook: docs/operations/alarms.md, "${runbook}".`,
      ...props,
    });
    const notify = new SnsAction(this.#topic);
    alarm.addAlarmAction(notify);
    alarm.addOkAction(notify);
    return alarm;
  }

  /**
   * Adds an alarm that notifies when a metric has no more values, or has values below 1. CloudWatch creates an alarm in
   * the state "insufficient data", and notifies only when the state changes. So it notifies nobody until the metric has
   * had a first value.
   */
  addForSilence(
    id: string,
    metric: Metric,
    text: AlarmText & Pick<CreateAlarmOptions, 'evaluationPeriods'>,
    template: Stack = this.#stack,
  ): void {
    const silence = {
      ...text,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.MISSING,
    };
    const alarm = this.add(id, metric, silence, template);
    alarm.addInsufficientDataAction(new SnsAction(this.#topic));
  }
}
