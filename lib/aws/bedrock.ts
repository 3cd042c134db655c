import { Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** The right to invoke models of Amazon Bedrock. @param arns those that the operator names; without one there is no right */
export function bedrockStatements(arns: string[]): PolicyStatement[] {
  if (arns.length === 0) return [];
  const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
  return [new PolicyStatement({ sid: 'Bedrock', actions, resources: arns })];
}

/** @param scope what has the right */
export function acknowledgeBedrock(scope: Construct, arns: string[]): void {
  const wildcards = arns.filter((arn) => arn.includes('*'));
  Validations.of(scope).acknowledge(
    ...wildcards.map((arn) => ({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason: 'The operator names it so.' })),
  );
}
