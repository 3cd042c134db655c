import { CfnOutput, Validations, type Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';

/** Creates the topic for alerts by e-mail. AWS asks the owner of each address for confirmation. */
export function createMailTopic(stack: Stack): Topic {
  const topic = new Topic(stack, 'Mails', { enforceSSL: true });
  new CfnOutput(stack, 'MailTopicArn', { value: topic.topicArn, description: 'Topic of e-mails about alerts' });
  new CfnOutput(stack, 'MailOperatorPolicyArn', {
    value: createMailOperatorPolicy(stack, topic).managedPolicyArn,
    description: 'Policy with the permissions of admin for e-mail addresses, for a role of its users',
  });
  return topic;
}

/**
 * Creates a policy for the commands `alerts set --email` and `alerts addresses remove`. The operator policy in the data
 * stack is deployed before the topic exists.
 */
function createMailOperatorPolicy(stack: Stack, topic: Topic): ManagedPolicy {
  const policy = new ManagedPolicy(stack, 'MailOperator', {
    description: 'Subscribes and removes e-mail addresses of the model gateway from its command line.',
    statements: [
      mailStatement(topic, 'subscribe'),
      new PolicyStatement({
        sid: 'Addresses',
        actions: ['sns:ListSubscriptionsByTopic'],
        resources: [topic.topicArn],
      }),
      // AWS grants this action only on all resources:
      // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsns.html
      new PolicyStatement({ sid: 'Unsubscribe', actions: ['sns:Unsubscribe'], resources: ['*'] }),
    ],
  });
  const reason = 'AWS grants sns:Unsubscribe on all resources or none.';
  Validations.of(policy).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason });
  return policy;
}

export function mailStatement(topic: Topic, use: 'subscribe' | 'publish'): PolicyStatement {
  return new PolicyStatement({
    sid: 'Mails',
    actions: [use === 'subscribe' ? 'sns:Subscribe' : 'sns:Publish'],
    resources: [topic.topicArn],
    ...(use === 'subscribe' ? { conditions: { StringEquals: { 'sns:Protocol': 'email' } } } : {}),
  });
}
