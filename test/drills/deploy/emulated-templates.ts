/** Adapts synthesized templates to MiniStack. */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EmulatedResource, EmulatedTemplate } from './emulated-template.ts';
import { withServerOutputs } from './server-outputs.ts';

const streamedHandlers = fileURLToPath(new URL('./streamed-handlers.cjs', import.meta.url));

/** Types that the emulator lacks, with the feature that remains untested. */
const missingTypes: Record<string, string> = {
  'AWS::CodeDeploy::Application': 'shift traffic gradually to new code (CodeDeploy)',
  'AWS::CodeDeploy::DeploymentGroup': 'shift traffic gradually to new code (CodeDeploy)',
  'AWS::Logs::QueryDefinition': 'keep saved queries of the log',
  'AWS::Athena::NamedQuery': 'keep saved queries of Athena',
  'AWS::Lambda::WebFunction': 'run a Web Function',
  'AWS::Lambda::WebFunctionRevision': 'run a Web Function',
  'AWS::Lambda::WebFunctionEndpoint': 'run a Web Function',
  'Custom::S3ObjectCopy': 'run the CDK’s custom resources, which copy the server’s code and empty its bucket',
  'Custom::S3AutoDeleteObjects': 'run the CDK’s custom resources, which copy the server’s code and empty its bucket',
};

const gaps = {
  mathAlarm: 'evaluate alarms of metric math',
  stream: 'stream responses: they arrive in one piece',
  secret: 'resolve Ref of a secret to its ARN, as CloudFormation does; the drill uses the attribute Id',
  partitions:
    'enforce dynamodb:LeadingKeys: functions may write every item of the table (journeys/sandboxed checks calls against the policies)',
  sendBatch: 'treat sqs:SendMessage as permission for SendMessageBatch, as SQS does; the drill grants both',
};

/** Adapts all templates of a cloud assembly, and returns the features that the emulator lacks. */
export function fitAssembly(directory: string): string[] {
  const found = new Set<string>();
  for (const name of globSync('*.template.json', { cwd: directory })) {
    const path = join(directory, name);
    const template = fitTemplate(JSON.parse(readFileSync(path, 'utf8')) as EmulatedTemplate, (gap) => found.add(gap));
    writeFileSync(path, JSON.stringify(template));
  }
  return [...found];
}

/**
 * Adapts one template.
 * @param reportGap called with each feature that the emulator lacks, for some features several times
 */
export function fitTemplate(synthesized: EmulatedTemplate, reportGap: (gap: string) => void): EmulatedTemplate {
  const template = withServerOutputs(synthesized);
  const kept = Object.entries(template.Resources).filter(([, resource]) => !isMissing(resource, reportGap));
  const names = new Set(kept.map(([id]) => id));
  const secrets = new Set(kept.filter(([, { Type }]) => Type === 'AWS::SecretsManager::Secret').map(([id]) => id));
  const Resources = Object.fromEntries(
    kept.map(([id, resource]) => [id, fitResource(dependingOn(resource, names), reportGap)]),
  );
  return withSecretArns({ ...template, Resources }, secrets, reportGap);
}

function isMissing({ Type, Properties }: EmulatedResource, reportGap: (gap: string) => void): boolean {
  const gap =
    missingTypes[Type] ??
    (Type === 'AWS::CloudWatch::Alarm' && Properties && 'Metrics' in Properties ? gaps.mathAlarm : undefined);
  if (gap !== undefined) reportGap(gap);
  return gap !== undefined;
}

function dependingOn(resource: EmulatedResource, names: ReadonlySet<string>): EmulatedResource {
  const { DependsOn, ...rest } = resource;
  if (DependsOn === undefined) return resource;
  const left = [DependsOn].flat().filter((name) => names.has(name));
  return left.length === 0 ? rest : { ...rest, DependsOn: left };
}

function fitResource(resource: EmulatedResource, reportGap: (gap: string) => void): EmulatedResource {
  const { Type, Properties } = resource;
  if (Properties === undefined) return resource;
  if (Type === 'AWS::Lambda::Function') return { ...resource, Properties: withStreamedHandlers(Properties) };
  if (Type === 'AWS::Lambda::Url' && Properties['InvokeMode'] === 'RESPONSE_STREAM') {
    reportGap(gaps.stream);
    return { ...resource, Properties: { ...Properties, InvokeMode: 'BUFFERED' } };
  }
  if (Type === 'AWS::ApiGateway::Method') return { ...resource, Properties: withWholeAnswers(Properties, reportGap) };
  // Without streaming, API Gateway allows arbitrary bytes only for the types in this list.
  if (Type === 'AWS::ApiGateway::RestApi')
    return { ...resource, Properties: { ...Properties, BinaryMediaTypes: ['*/*'] } };
  if (Type === 'AWS::IAM::Role')
    return { ...resource, Properties: withoutPartitions(withBatchRight(Properties, reportGap), reportGap) };
  return resource;
}

function withStreamedHandlers(properties: Record<string, unknown>): Record<string, unknown> {
  const { Variables } = (properties['Environment'] ?? {}) as { Variables?: { NODE_OPTIONS?: string } };
  // The CDK's own functions have no such description.
  if (!String(properties['Description']).startsWith('model gateway: ')) return properties;
  const options = `${Variables?.NODE_OPTIONS ?? ''} --require "${streamedHandlers}"`.trimStart();
  return { ...properties, Environment: { Variables: { ...Variables, NODE_OPTIONS: options } } };
}

/** Maximum timeout of API Gateway without streaming. */
const WHOLE_ANSWER_MS = 29_000;

function withWholeAnswers(
  properties: Record<string, unknown>,
  reportGap: (gap: string) => void,
): Record<string, unknown> {
  const integration = (properties['Integration'] ?? {}) as Record<string, unknown>;
  const { ResponseTransferMode, Uri, ...rest } = integration;
  if (ResponseTransferMode !== 'STREAM') return properties;
  reportGap(gaps.stream);
  const uri = JSON.stringify(Uri)
    .replace('2021-11-15/functions', '2015-03-31/functions')
    .replace('/response-streaming-invocations', '/invocations');
  return { ...properties, Integration: { ...rest, TimeoutInMillis: WHOLE_ANSWER_MS, Uri: JSON.parse(uri) as unknown } };
}

function withBatchRight(
  properties: Record<string, unknown>,
  reportGap: (gap: string) => void,
): Record<string, unknown> {
  return replaced(properties, (value) => {
    const { Action } = value;
    const actions = [Action].flat();
    if (!actions.includes('sqs:SendMessage') || actions.includes('sqs:SendMessageBatch')) return undefined;
    reportGap(gaps.sendBatch);
    return { ...value, Action: [...actions, 'sqs:SendMessageBatch'] };
  });
}

/**
 * Removes conditions on partitions of the table. The emulator does not know the condition keys, and treats these
 * conditions as not met.
 */
function withoutPartitions(
  properties: Record<string, unknown>,
  reportGap: (gap: string) => void,
): Record<string, unknown> {
  return replaced(properties, (value) => {
    const { Condition, ...rest } = value;
    if (!JSON.stringify(Condition ?? null).includes('dynamodb:LeadingKeys')) return undefined;
    if (!('Action' in rest)) return undefined;
    reportGap(gaps.partitions);
    return rest;
  });
}

function withSecretArns(
  template: EmulatedTemplate,
  secrets: ReadonlySet<string>,
  reportGap: (gap: string) => void,
): EmulatedTemplate {
  return replaced(template, ({ Ref: name }) => {
    if (typeof name !== 'string' || !secrets.has(name)) return undefined;
    reportGap(gaps.secret);
    return { 'Fn::GetAtt': [name, 'Id'] };
  });
}

/** Replaces each object by the result of `valueOf`, unless the result is undefined. */
function replaced<Value>(value: Value, valueOf: (part: Record<string, unknown>) => unknown): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => replaced(part, valueOf)) as Value;
  const known = valueOf(value as Record<string, unknown>);
  if (known !== undefined) return known as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part, valueOf)])) as Value;
}
