import type { Template } from 'aws-cdk-lib/assertions';

/** Permission of a role. `resource` is the logical id of a resource in the template, and the text after the id. */
export interface Right {
  action: string;
  resource: string;
  /** Patterns of partition keys; undefined if the permission covers all partitions. */
  partitions: readonly string[] | undefined;
}

/** Action of a function, expressed as the permission that it needs. */
export interface Deed {
  action: string;
  resource: string;
  partition?: string | undefined;
}

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: { 'ForAllValues:StringLike'?: { 'dynamodb:LeadingKeys': string[] } };
}

interface Role {
  Properties: { Policies?: { PolicyDocument: { Statement: Statement[] } }[]; ManagedPolicyArns?: unknown[] };
}

const DESCRIPTION = 'model gateway: ';

/**
 * Returns the permissions of each function's role, by the function's name.
 * @param api includes the resources of nested stacks
 */
export function rolesOfFunctions({ api, data }: { api: Template; data: Template }): Map<string, Right[]> {
  const roles = api.findResources('AWS::IAM::Role') as Record<string, Role>;
  const functions = Object.values(api.findResources('AWS::Lambda::Function')) as {
    Properties: { Description?: string; Role: unknown };
  }[];
  const outputs = data.toJSON()['Outputs'] as Record<string, { Value: unknown }>;
  const rights = functions
    .filter(({ Properties: { Description = '' } }) => Description.startsWith(DESCRIPTION))
    .map(({ Properties }) => {
      const { Policies = [], ManagedPolicyArns } = roles[nameOf(Properties.Role, outputs)]!.Properties;
      if (ManagedPolicyArns) throw new Error('A policy of AWS is not read here');
      const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const name = Properties.Description!.slice(DESCRIPTION.length);
      return [name, statements.flatMap((statement) => rightsOf(statement, outputs))] as const;
    });
  return new Map(rights);
}

function rightsOf(statement: Statement, outputs: Record<string, { Value: unknown }>): Right[] {
  if (statement.Effect !== 'Allow') throw new Error(`Not known here: ${statement.Effect}`);
  const partitions = statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  return [statement.Action]
    .flat()
    .flatMap((action) =>
      [statement.Resource].flat().map((resource) => ({ action, resource: nameOf(resource, outputs), partitions })),
    );
}

/** Returns the logical id of a reference, with the text around it for `Fn::Join`. */
function nameOf(value: unknown, outputs: Record<string, { Value: unknown }>): string {
  if (typeof value === 'string') return value;
  const reference = value as Record<string, unknown>;
  if (typeof reference['Ref'] === 'string') return reference['Ref'];
  if (Array.isArray(reference['Fn::GetAtt'])) return reference['Fn::GetAtt'][0] as string;
  if (Array.isArray(reference['Fn::Join'])) {
    const [separator, parts] = reference['Fn::Join'] as [string, unknown[]];
    return parts.map((part) => nameOf(part, outputs)).join(separator);
  }
  const { OutputName: output } = (reference['Fn::GetStackOutput'] ?? {}) as { OutputName?: string };
  if (output !== undefined) return nameOf(outputs[output]!.Value, outputs);
  throw new Error(`Not known here: ${JSON.stringify(value)}`);
}

export function allows(rights: readonly Right[], deed: Deed): boolean {
  return rights.some((right) => isUsedBy(right, deed));
}

export function isUsedBy({ action, resource, partitions }: Right, deed: Deed): boolean {
  return (
    action === deed.action &&
    fits(resource, deed.resource) &&
    (partitions?.some((pattern) => deed.partition !== undefined && fits(pattern, deed.partition)) ?? true)
  );
}

/** Whether a text fits a pattern. A star matches any text; the templates use no other wildcard. */
function fits(pattern: string, text: string): boolean {
  const words = pattern.split('*').map((word) => word.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${words.join('.*')}$`, 's').test(text);
}
