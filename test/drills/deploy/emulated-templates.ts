/** Changes synthesized templates to those that MiniStack can deploy, and says what that leaves untried. */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EmulatedResource, EmulatedTemplate } from './emulated-template.ts';
import { withServerOutputs } from './server-outputs.ts';

const streamedHandlers = fileURLToPath(new URL('./streamed-handlers.cjs', import.meta.url));

/** Types that the emulator does not have, with what stays untried without them. */
const missingTypes: Record<string, string> = {
  'AWS::CodeDeploy::Application': 'shift traffic to new code little by little (CodeDeploy)',
  'AWS::CodeDeploy::DeploymentGroup': 'shift traffic to new code little by little (CodeDeploy)',
  'AWS::Logs::QueryDefinition': 'keep saved queries of the log',
  'AWS::Athena::NamedQuery': 'keep saved queries of Athena',
  'AWS::Lambda::WebFunction': 'run a Web Function',
  'AWS::Lambda::WebFunctionRevision': 'run a Web Function',
  'AWS::Lambda::WebFunctionEndpoint': 'run a Web Function',
  'Custom::S3ObjectCopy': 'run the CDK’s own functions, which copy the code of the server and empty their bucket',
  'Custom::S3AutoDeleteObjects':
    'run the CDK’s own functions, which copy the code of the server and empty their bucket',
};

const gaps = {
  mathAlarm: 'evaluate alarms of metric math',
  stream: 'send an answer piece by piece: streams arrive whole',
  secret: 'return the ARN of a secret for its reference, as CloudFormation does; the attribute Id is used',
  partitions:
    'know dynamodb:LeadingKeys: a function may write every item of the table (journeys/sandboxed holds the calls against the policies)',
  sendBatch: 'take sqs:SendMessage as the right to SendMessageBatch, as SQS does; both are granted',
};

/** Changes all templates of a cloud assembly. @returns what the emulator cannot do, each once */
export function fitAssembly(directory: string): string[] {
  const found = new Set<string>();
  for (const name of globSync('*.template.json', { cwd: directory })) {
    const path = join(directory, name);
    const template = fitTemplate(JSON.parse(readFileSync(path, 'utf8')) as EmulatedTemplate, (gap) => found.add(gap));
    writeFileSync(path, JSON.stringify(template));
  }
  return [...found];
}

/** @param tell is called for each change with what the emulator cannot do */
export function fitTemplate(synthesized: EmulatedTemplate, tell: (gap: string) => void): EmulatedTemplate {
  const template = withServerOutputs(synthesized);
  const kept = Object.entries(template.Resources).filter(([, resource]) => !isMissing(resource, tell));
  const names = new Set(kept.map(([id]) => id));
  const secrets = new Set(kept.filter(([, { Type }]) => Type === 'AWS::SecretsManager::Secret').map(([id]) => id));
  const Resources = Object.fromEntries(
    kept.map(([id, resource]) => [id, fitResource(dependingOn(resource, names), tell)]),
  );
  return withSecretArns({ ...template, Resources }, secrets, tell);
}

function isMissing({ Type, Properties }: EmulatedResource, tell: (gap: string) => void): boolean {
  const gap =
    missingTypes[Type] ??
    (Type === 'AWS::CloudWatch::Alarm' && Properties && 'Metrics' in Properties ? gaps.mathAlarm : undefined);
  if (gap !== undefined) tell(gap);
  return gap !== undefined;
}

function dependingOn(resource: EmulatedResource, names: ReadonlySet<string>): EmulatedResource {
  const { DependsOn, ...rest } = resource;
  if (DependsOn === undefined) return resource;
  const left = [DependsOn].flat().filter((name) => names.has(name));
  return left.length === 0 ? rest : { ...rest, DependsOn: left };
}

function fitResource(resource: EmulatedResource, tell: (gap: string) => void): EmulatedResource {
  const { Type, Properties } = resource;
  if (Properties === undefined) return resource;
  if (Type === 'AWS::Lambda::Function') return { ...resource, Properties: withStreamedHandlers(Properties) };
  if (Type === 'AWS::Lambda::Url' && Properties['InvokeMode'] === 'RESPONSE_STREAM') {
    tell(gaps.stream);
    return { ...resource, Properties: { ...Properties, InvokeMode: 'BUFFERED' } };
  }
  if (Type === 'AWS::ApiGateway::Method') return { ...resource, Properties: withWholeAnswers(Properties, tell) };
  // Streamed functions answer with any bytes; whole answers may do so for these types alone.
  if (Type === 'AWS::ApiGateway::RestApi')
    return { ...resource, Properties: { ...Properties, BinaryMediaTypes: ['*/*'] } };
  if (Type === 'AWS::IAM::Role')
    return { ...resource, Properties: withoutPartitions(withBatchRight(Properties, tell), tell) };
  return resource;
}

function withStreamedHandlers(properties: Record<string, unknown>): Record<string, unknown> {
  const { Variables } = (properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
  if (typeof Variables?.['NODE_OPTIONS'] !== 'string') return properties;
  const options = `${Variables['NODE_OPTIONS']} --require "${streamedHandlers}"`;
  return { ...properties, Environment: { Variables: { ...Variables, NODE_OPTIONS: options } } };
}

/** The longest that API Gateway waits for an answer that is not streamed. */
const WHOLE_ANSWER_MS = 29_000;

function withWholeAnswers(properties: Record<string, unknown>, tell: (gap: string) => void): Record<string, unknown> {
  const integration = (properties['Integration'] ?? {}) as Record<string, unknown>;
  const { ResponseTransferMode, Uri, ...rest } = integration;
  if (ResponseTransferMode !== 'STREAM') return properties;
  tell(gaps.stream);
  const uri = JSON.stringify(Uri)
    .replace('2021-11-15/functions', '2015-03-31/functions')
    .replace('/response-streaming-invocations', '/invocations');
  return { ...properties, Integration: { ...rest, TimeoutInMillis: WHOLE_ANSWER_MS, Uri: JSON.parse(uri) as unknown } };
}

function withBatchRight(properties: Record<string, unknown>, tell: (gap: string) => void): Record<string, unknown> {
  return replaced(properties, (value) => {
    const { Action } = value;
    const actions = [Action].flat();
    if (!actions.includes('sqs:SendMessage') || actions.includes('sqs:SendMessageBatch')) return undefined;
    tell(gaps.sendBatch);
    return { ...value, Action: [...actions, 'sqs:SendMessageBatch'] };
  });
}

/** The emulator takes each condition on a key that it does not know as not met. */
function withoutPartitions(properties: Record<string, unknown>, tell: (gap: string) => void): Record<string, unknown> {
  return replaced(properties, (value) => {
    const { Condition, ...rest } = value;
    if (!JSON.stringify(Condition ?? null).includes('dynamodb:LeadingKeys')) return undefined;
    if (!('Action' in rest)) return undefined;
    tell(gaps.partitions);
    return rest;
  });
}

function withSecretArns(
  template: EmulatedTemplate,
  secrets: ReadonlySet<string>,
  tell: (gap: string) => void,
): EmulatedTemplate {
  return replaced(template, ({ Ref: name }) => {
    if (typeof name !== 'string' || !secrets.has(name)) return undefined;
    tell(gaps.secret);
    return { 'Fn::GetAtt': [name, 'Id'] };
  });
}

/** A copy in which each object that `valueOf` knows is its value. */
function replaced<Value>(value: Value, valueOf: (part: Record<string, unknown>) => unknown): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => replaced(part, valueOf)) as Value;
  const known = valueOf(value as Record<string, unknown>);
  if (known !== undefined) return known as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part, valueOf)])) as Value;
}
