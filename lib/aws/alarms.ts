import type { Stack } from 'aws-cdk-lib';
import { TreatMissingData, type CreateAlarmOptions, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';

/** The alarms of a stack, all on one topic. */
export class Alarms {
  readonly #stack: Stack;
  readonly #topic: Topic;

  constructor(stack: Stack, email: string | undefined) {
    this.#stack = stack;
    this.#topic = new Topic(stack, 'Alarms', { enforceSSL: true });
    if (email) this.#topic.addSubscription(new EmailSubscription(email));
  }

  /** @param props where they differ from one value of 1 or more in a period; no data is no alarm */
  add(id: string, metric: Metric, props: Partial<CreateAlarmOptions> & { alarmDescription: string }): void {
    const usual = { threshold: 1, evaluationPeriods: 1, treatMissingData: TreatMissingData.NOT_BREACHING };
    metric.createAlarm(this.#stack, id, { ...usual, ...props }).addAlarmAction(new SnsAction(this.#topic));
  }
}
