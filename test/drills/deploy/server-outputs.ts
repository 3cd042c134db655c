/**
 * Adds the variables and the role of the deployed server to the outputs, so that the drill can run the server outside
 * of a Web Function.
 */

import type { EmulatedResource, EmulatedTemplate } from './emulated-template.ts';

const VARIABLES_OUTPUT = 'DrillServerVariables';
const ROLE_OUTPUT = 'DrillServerRole';
const REVISION = 'AWS::Lambda::WebFunctionRevision';
/** Id of the server's nested stack in its parent template. */
const NESTED_STACK = /^Server.*NestedStackResource/;
/** Value of outputs that refer to a Web Function, which the emulator lacks. */
const NOWHERE = 'not-in-the-emulator';

interface ServiceConfig {
  EnvironmentVariables: Record<string, unknown>;
  ExecutionRoleArn: { 'Fn::GetAtt': [string, string] };
}

/**
 * Adds the outputs. Call this before the Web Function is removed from the template. It also allows the account, and so
 * the drill, to assume the server's role.
 */
export function withServerOutputs(template: EmulatedTemplate): EmulatedTemplate {
  const { Resources, Outputs = {} } = template;
  const nested = Object.keys(Resources).find((id) => NESTED_STACK.test(id));
  if (nested !== undefined) {
    const handedOn = [VARIABLES_OUTPUT, ROLE_OUTPUT].map((name) => [
      name,
      { Value: { 'Fn::GetAtt': [nested, `Outputs.${name}`] } },
    ]);
    return { ...template, Outputs: { ...Outputs, ...Object.fromEntries(handedOn) } };
  }
  const revision = Object.values(Resources).find(({ Type }) => Type === REVISION);
  if (revision === undefined) return template;
  const { EnvironmentVariables, ExecutionRoleArn } = revision.Properties!['ServiceConfig'] as ServiceConfig;
  const lines = Object.entries(EnvironmentVariables).flatMap(([name, value]) => [`${name}=`, value, '\n']);
  const [roleId] = ExecutionRoleArn['Fn::GetAtt'];
  return {
    ...template,
    Resources: { ...Resources, [roleId]: assumableByAccount(Resources[roleId]!) },
    Outputs: {
      ...Object.fromEntries(Object.entries(Outputs).map(([name, output]) => [name, placed(output)])),
      [VARIABLES_OUTPUT]: { Value: { 'Fn::Join': ['', lines] } },
      [ROLE_OUTPUT]: { Value: ExecutionRoleArn },
    },
  };
}

function placed(output: { Value: unknown }): { Value: unknown } {
  return JSON.stringify(output.Value).includes('WebFunction') ? { ...output, Value: NOWHERE } : output;
}

function assumableByAccount(role: EmulatedResource): EmulatedResource {
  const policy = role.Properties!['AssumeRolePolicyDocument'] as { Statement: object[] };
  const account = {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Principal: { AWS: { 'Fn::Sub': 'arn:${AWS::Partition}:iam::${AWS::AccountId}:root' } },
  };
  const Properties = {
    ...role.Properties,
    AssumeRolePolicyDocument: { ...policy, Statement: [...policy.Statement, account] },
  };
  return { ...role, Properties };
}

/** Returns the role and the variables of the server; undefined if the deployment has no server. */
export function serverOf(
  output: (name: string) => string | undefined,
): { role: string; variables: Record<string, string> } | undefined {
  const [role, text] = [output(ROLE_OUTPUT), output(VARIABLES_OUTPUT)];
  if (role === undefined || text === undefined) return undefined;
  const pairs = text
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  return { role, variables: Object.fromEntries(pairs) as Record<string, string> };
}
