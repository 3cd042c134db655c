/**
 * Limits the calls per second with which CloudFormation creates, changes and deletes resources. API Gateway accepts
 * five new resources, and ten calls in all, per second and account; Lambda accepts fifteen calls. CloudFormation does
 * not always retry rejected calls: https://github.com/aws/aws-cdk/issues/15573,
 * https://github.com/serverless/serverless/issues/3339.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */

import type { CfnResource as AnyResource } from 'aws-cdk-lib';
import { CfnGatewayResponse, CfnMethod, CfnResource, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/** Resources of one template that CloudFormation handles at the same time. */
const AT_ONCE = 4;

/** Paces the parts of an API. Call it after the last part was added. */
export function paceApi(api: RestApi): void {
  const nodes = api.node.findAll();
  // Methods come last, because they must wait for their functions, and the other parts must not wait with them.
  pace([
    ...nodes.filter((node) => node instanceof CfnResource),
    ...nodes.filter((node) => node instanceof CfnGatewayResponse),
    ...nodes.filter((node) => node instanceof CfnMethod),
  ]);
}

/** Paces the functions of each template. */
export function paceFunctions(lambdas: readonly LambdaFunction[]): void {
  for (const ofTemplate of Map.groupBy(lambdas, ({ stack }) => stack).values()) {
    pace(ofTemplate.map(({ node }) => node.defaultChild as CfnFunction));
  }
}

/** Makes each resource depend on an earlier one. A new dependency does not change an existing resource. */
function pace(resources: readonly AnyResource[]): void {
  for (const [index, resource] of resources.entries()) {
    const earlier = resources[index - AT_ONCE];
    if (earlier) resource.addResourceDependency(earlier);
  }
}
