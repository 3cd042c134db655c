import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';

/**
 * Creates the topic through which alerts are sent as e-mails. Functions subscribe the addresses that clients set. AWS
 * asks the owner of each address for confirmation.
 */
export function createMailTopic(stack: Stack): Topic {
  const topic = new Topic(stack, 'Mails', { enforceSSL: true });
  new CfnOutput(stack, 'MailTopicArn', { value: topic.topicArn, description: 'Topic of e-mails about alerts' });
  return topic;
}

/** Returns the permission to subscribe e-mail addresses to the topic, or to publish e-mails. */
export function mailStatement(topic: Topic, use: 'subscribe' | 'publish'): PolicyStatement {
  return new PolicyStatement({
    sid: 'Mails',
    actions: [use === 'subscribe' ? 'sns:Subscribe' : 'sns:Publish'],
    resources: [topic.topicArn],
    ...(use === 'subscribe' ? { conditions: { StringEquals: { 'sns:Protocol': 'email' } } } : {}),
  });
}
