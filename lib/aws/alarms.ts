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

/** The text of an alarm. */
export interface AlarmText {
  /**
   * `Urgent`: clients or money are affected now, and a person is called at night. `Soon`: for the next working day.
   */
  severity: 'Urgent' | 'Soon';
  /** One sentence about the cause. */
  says: string;
  /** A heading in docs/operations/alarms.md. */
  runbook: string;
}

/** The alarms of a stack, which share one topic. */
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

  /**
   * `enforceSSL` creates an explicit topic policy, which replaces the default policy and its right for services of the
   * account to publish. So the alarms' right to publish is added here.
   */
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
   * @param props overrides of the defaults: alarm at a value of 1 or more in one period, and none without data
   * @param template stack of the alarm, if it differs from the topic's
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
    // Also notifies when the alarm is over.
    alarm.addOkAction(notify);
    return alarm;
  }

  /**
   * Adds an alarm for a metric that always has values while all is well. An alarm starts without data, so this one
   * notifies only when data ends: it stays silent after a deployment until the first value arrives.
   */
  addForSilence(id: string, metric: Metric, words: AlarmText & Pick<CreateAlarmOptions, 'evaluationPeriods'>): void {
    const alarm = this.add(id, metric, {
      ...words,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.MISSING,
    });
    alarm.addInsufficientDataAction(new SnsAction(this.#topic));
  }
}
