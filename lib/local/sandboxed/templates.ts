/**
 * Reads the wiring of the local runtime from synthesized templates only, so that their mistakes also appear locally.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WiredRoute } from '../../../lambdas/server/routing-table.ts';
import type { WiredQueue, Wiring } from '../wiring.ts';

export interface Deployment {
  wiring: Wiring;
  functions: Map<string, DeployedFunction>;
}

export interface DeployedFunction {
  name: string;
  assetDirectory: string;
  handler: string;
  timeoutSeconds: number;
  memoryMb: number;
  /**
   * Environment variables by their meaning: a text, the name of the table or bucket, the URL of a queue, a secret, or a
   * value that only exists on AWS.
   */
  environment: Record<string, Value>;
}

export type Value =
  | { text: string }
  | { table: true }
  | { bucket: true }
  | { queue: string }
  | { secret: string }
  | { onAws: true };

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}

interface TemplateFile {
  Resources: Record<string, Resource>;
  Outputs?: Template['outputs'];
}

interface Template {
  stackName: string;
  resources: Record<string, Resource>;
  outputs: Record<string, { Value: unknown; Export?: { Name: string } }>;
  /** Directories of assets (such as code that the CDK uploads), by object key. */
  assets: Map<string, string>;
}

/** Value in a template that stands for every HTTP method. */
const ANY = 'ANY';
/** Default timeout of API Gateway. */
const DEFAULT_INTEGRATION_MS = 29_000;
const DESCRIPTION_PREFIX = 'model gateway: ';

export function readTemplates(directory: string): Deployment {
  const templates = loadTemplates(directory);
  const template = templates.find(({ resources }) =>
    Object.values(resources).some(({ Type }) => Type === 'AWS::ApiGateway::RestApi'),
  )!;
  const resolve = (value: unknown) => resolveValue(value, template, templates);
  const functionNames = new Map<string, string>();
  const functions = new Map<string, DeployedFunction>();
  for (const [id, { Properties: properties }] of ofType(template, 'AWS::Lambda::Function')) {
    const description = properties['Description'];
    // The CDK's own functions run only during deployments.
    if (typeof description !== 'string' || !description.startsWith(DESCRIPTION_PREFIX)) continue;
    const name = description.slice(DESCRIPTION_PREFIX.length);
    const variables =
      (properties['Environment'] as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};
    functionNames.set(id, name);
    functions.set(name, {
      name,
      assetDirectory: template.assets.get((properties['Code'] as { S3Key: string }).S3Key)!,
      handler: properties['Handler'] as string,
      timeoutSeconds: properties['Timeout'] as number,
      memoryMb: properties['MemorySize'] as number,
      environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, resolve(value)])),
    });
  }
  // Callers invoke a function through its alias.
  for (const [id, { Properties: alias }] of ofType(template, 'AWS::Lambda::Alias')) {
    functionNames.set(id, functionNames.get(referencedId(alias['FunctionName']))!);
  }
  const nameOf = (value: unknown) => functionNames.get(referencedId(value))!;
  const url = ofType(template, 'AWS::Lambda::Url')[0]?.[1];
  const methods = readRoutes(template, nameOf);
  return {
    functions,
    wiring: {
      routes: methods.map(({ route }) => route).filter(({ method }) => method !== ANY),
      queues: readQueues(template),
      queueSources: ofType(template, 'AWS::Lambda::EventSourceMapping').map(([, { Properties: source }]) => ({
        queue: referencedId(source['EventSourceArn']),
        functionName: nameOf(source['FunctionName']),
        batchSize: source['BatchSize'] as number,
        maxConcurrency: (source['ScalingConfig'] as { MaximumConcurrency: number }).MaximumConcurrency,
      })),
      schedules: ofType(template, 'AWS::Scheduler::Schedule').map(([, { Properties: schedule }]) => ({
        functionName: nameOf((schedule['Target'] as { Arn: unknown }).Arn),
        everyMinutes: Number(/rate\((\d+) minutes?\)/.exec(schedule['ScheduleExpression'] as string)![1]),
      })),
      functionUrl: url && nameOf(url.Properties['TargetFunctionArn']),
      unknownRoute: methods.find(({ route }) => route.method === ANY)!.route.functionName,
      integrationSeconds: Object.fromEntries(
        methods.map(({ route, integrationSeconds }) => [route.functionName, integrationSeconds]),
      ),
    },
  };
}

/** Route, with the time that API Gateway waits for the function. */
interface Method {
  route: WiredRoute;
  integrationSeconds: number;
}

function readRoutes(template: Template, nameOf: (value: unknown) => string): Method[] {
  return ofType(template, 'AWS::ApiGateway::Method').map(([, { Properties: method }]) => {
    const integration = method['Integration'] as {
      Uri: unknown;
      ResponseTransferMode?: string;
      TimeoutInMillis?: number;
    };
    return {
      route: {
        method: method['HttpMethod'] as string,
        path: apiResourcePath(template, method['ResourceId']),
        functionName: nameOf(integration.Uri),
        streaming: integration.ResponseTransferMode === 'STREAM',
      },
      integrationSeconds: (integration.TimeoutInMillis ?? DEFAULT_INTEGRATION_MS) / 1_000,
    };
  });
}

/** Returns the path of an API resource: the path parts of its ancestors, then its own. */
function apiResourcePath(template: Template, reference: unknown): string {
  const resource = template.resources[referencedId(reference)];
  if (resource?.Type !== 'AWS::ApiGateway::Resource') return '';
  const { ParentId, PathPart } = resource.Properties as { ParentId: unknown; PathPart: string };
  return `${apiResourcePath(template, ParentId)}/${PathPart}`;
}

/** Returns the queues of workers, which have a dead-letter queue. */
function readQueues(template: Template): Record<string, WiredQueue> {
  return Object.fromEntries(
    ofType(template, 'AWS::SQS::Queue').flatMap(([id, { Properties: queue }]) => {
      const redrive = queue['RedrivePolicy'] as { maxReceiveCount: number; deadLetterTargetArn: unknown } | undefined;
      if (!redrive) return [];
      const visibilityTimeoutSeconds = queue['VisibilityTimeout'] as number;
      const { maxReceiveCount, deadLetterTargetArn } = redrive;
      return [[id, { visibilityTimeoutSeconds, maxReceiveCount, deadLetters: referencedId(deadLetterTargetArn) }]];
    }),
  );
}

/** Returns the meaning of a value in a template. References to exports and outputs of other stacks are resolved. */
function resolveValue(value: unknown, template: Template, templates: Template[]): Value {
  if (typeof value === 'string') return { text: value };
  const reference = value as Record<string, unknown>;
  if (typeof reference['Ref'] === 'string') {
    const id = reference['Ref'];
    switch (template.resources[id]?.Type) {
      case 'AWS::DynamoDB::GlobalTable':
        return { table: true };
      case 'AWS::S3::Bucket':
        return isOnAwsAlone(template.resources[id]) ? { onAws: true } : { bucket: true };
      case 'AWS::SQS::Queue':
        return { queue: id };
      case 'AWS::SecretsManager::Secret':
        return { secret: id };
      case 'AWS::SNS::Topic':
        return { onAws: true };
    }
  }
  if ('Fn::GetAtt' in reference) return { onAws: true };
  if ('Fn::GetStackOutput' in reference) {
    const { StackName, OutputName } = reference['Fn::GetStackOutput'] as { StackName: string; OutputName: string };
    const other = templates.find(({ stackName }) => stackName === StackName)!;
    return resolveValue(other.outputs[OutputName]!.Value, other, templates);
  }
  if ('Fn::ImportValue' in reference) {
    for (const other of templates) {
      const output = Object.values(other.outputs).find(({ Export }) => Export?.Name === reference['Fn::ImportValue']);
      if (output) return resolveValue(output.Value, other, templates);
    }
  }
  throw new Error(`The local runtime does not understand ${JSON.stringify(value)} in a template`);
}

/**
 * Returns whether a bucket is the bucket of exports or of catalogs. These have no local counterpart: locally, the table
 * is not exported, and catalogs are published to a directory.
 */
function isOnAwsAlone({ Properties }: Resource): boolean {
  return Properties['ObjectLockEnabled'] === true || Properties['VersioningConfiguration'] !== undefined;
}

/** Returns the logical id in a reference, an attribute, or an expression with one of them. */
function referencedId(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const reference = value as Record<string, unknown>;
  if (typeof reference['Ref'] === 'string') return reference['Ref'].startsWith('AWS::') ? '' : reference['Ref'];
  if (Array.isArray(reference['Fn::GetAtt'])) return reference['Fn::GetAtt'][0] as string;
  const [, part] = (reference['Fn::Select'] ?? reference['Fn::Split'] ?? []) as [unknown, unknown];
  if (part !== undefined) return referencedId(Array.isArray(part) ? part[0] : part);
  const [, parts] = (reference['Fn::Join'] ?? ['', []]) as [string, unknown[]];
  return parts.map(referencedId).find((id) => id !== '') ?? '';
}

function ofType(template: Template, type: string): [string, Resource][] {
  return Object.entries(template.resources).filter(([, resource]) => resource.Type === type);
}

function loadTemplates(directory: string): Template[] {
  const manifest = readJsonFile(join(directory, 'manifest.json')) as {
    artifacts: Record<string, { type: string; properties: { templateFile: string; stackName?: string } }>;
  };
  return Object.entries(manifest.artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(([id, { properties }]) => {
      const assets = readAssets(directory, id);
      const { Resources, Outputs } = readTemplate(join(directory, properties.templateFile), assets);
      return { stackName: properties.stackName ?? id, resources: Resources, outputs: Outputs ?? {}, assets };
    });
}

/** Returns the paths of a stack's asset files by object key. */
export function readAssets(directory: string, stackId: string): Map<string, string> {
  const { files } = readJsonFile(join(directory, `${stackId}.assets.json`)) as {
    files: Record<string, { source: { path: string }; destinations: Record<string, { objectKey: string }> }>;
  };
  return new Map(
    Object.values(files).flatMap(({ source, destinations }) =>
      Object.values(destinations).map(({ objectKey }) => [objectKey, join(directory, source.path)] as const),
    ),
  );
}

/** Reads a template together with its nested templates, and resolves the references between them. */
export function readTemplate(path: string, assets: ReadonlyMap<string, string>): TemplateFile {
  const template = readJsonFile(path) as TemplateFile;
  const nested = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack');
  let whole = template;
  for (const [id] of nested) {
    const { Properties: properties } = whole.Resources[id]!;
    const [, key] = /([\w.]+\.json)"/.exec(JSON.stringify(properties['TemplateURL'])) ?? [];
    const { Resources, Outputs = {} } = readTemplate(assets.get(key!)!, assets);
    const parameters = (properties['Parameters'] ?? {}) as Record<string, unknown>;
    const parameterOf = ({ Ref: name }: Record<string, unknown>) =>
      typeof name === 'string' ? parameters[name] : undefined;
    const inner = withResolvedReferences(Resources, parameterOf);
    const returned = withResolvedReferences(Outputs, parameterOf);
    const outer = withResolvedReferences(whole, ({ 'Fn::GetAtt': of }) => {
      const [owner, attribute] = Array.isArray(of) ? (of as [string, string]) : [];
      return owner === id ? returned[attribute!.replace(/^Outputs\./, '')]?.Value : undefined;
    });
    whole = { ...outer, Resources: { ...outer.Resources, ...inner } };
  }
  return whole;
}

/** Replaces each reference by the result of `valueOf`, if that is defined. */
function withResolvedReferences<Value>(value: Value, valueOf: (reference: Record<string, unknown>) => unknown): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => withResolvedReferences(part, valueOf)) as Value;
  const known = valueOf(value as Record<string, unknown>);
  if (known !== undefined) return known as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withResolvedReferences(part, valueOf)]),
  ) as Value;
}

function readJsonFile(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
