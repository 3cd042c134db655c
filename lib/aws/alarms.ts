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

/** The text of an alarm, as a person reads it. */
export interface AlarmText {
  /** `Urgent`: clients or money are hurt now, and somebody is called at night; `Soon`: on the next working day. */
  severity: 'Urgent' | 'Soon';
  /** A sentence. */
  says: string;
  /** A heading of docs/operations/alarms.md. */
  runbook: string;
}

/** The alarms of a stack, all on one topic. */
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
        'No alarm reaches anybody: set gateway:alarmEmail, or subscribe to the topic that the output AlarmTopicArn names.',
      );
    }
    new CfnOutput(stack, 'AlarmTopicArn', { value: this.#topic.topicArn, description: 'Topic of all alarms' });
  }

  /** A policy of its own, which `enforceSSL` makes, takes the place of the one by which an account's services may publish. */
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
   * @param props where they differ from one value of 1 or more in a period; no data is no alarm
   * @param template where the alarm stands, if not in that of the topic
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
    // Whoever was called learns that it is over.
    alarm.addOkAction(notify);
    return alarm;
  }

  /**
   * For a metric that has values while all is well, and none otherwise. An alarm begins without data, so this one notifies when it has none any
   * more: it is silent after a deployment until the first value is there.
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
