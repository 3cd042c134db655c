import { Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** Returns the permission to invoke models of Amazon Bedrock. */
export function bedrockStatements(arns: string[]): PolicyStatement[] {
  if (arns.length === 0) return [];
  const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
  return [
    new PolicyStatement({ sid: 'Bedrock', actions, resources: arns }),
    // The Rerank action cannot be limited to resources. It also needs the permission above to invoke its model.
    new PolicyStatement({ sid: 'BedrockRerank', actions: ['bedrock:Rerank'], resources: ['*'] }),
  ];
}

/** Acknowledges wildcards in the permission as findings of cdk-nag, because the operator has configured them. */
export function acknowledgeBedrock(scope: Construct, arns: string[]): void {
  const wildcards = arns.filter((arn) => arn.includes('*'));
  Validations.of(scope).acknowledge(
    ...wildcards.map((arn) => ({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason: 'The operator names it so.' })),
    ...(arns.length > 0 ? [{ id: 'AwsSolutions-IAM5[Resource::*]', reason: 'Rerank has no resources.' }] : []),
  );
}
