/** Finds references in synthesized templates that lead nowhere, which CloudFormation refuses. */

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  Metadata?: Record<string, unknown>;
}

export interface Template {
  Resources: Record<string, Resource>;
  Parameters?: Record<string, unknown>;
  Conditions?: Record<string, unknown>;
  Mappings?: Record<string, Record<string, Record<string, unknown>>>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: unknown } }>;
}

export interface Assembly {
  /** Templates by stack name. */
  stacks: Record<string, Template>;
  /** Nested stacks by file name. */
  nested: Record<string, Template>;
}

const PSEUDO_PARAMETERS: ReadonlySet<string> = new Set(
  ['AccountId', 'NotificationARNs', 'NoValue', 'Partition', 'Region', 'StackId', 'StackName', 'URLSuffix'].map(
    (name) => `AWS::${name}`,
  ),
);
const NESTED = 'AWS::CloudFormation::Stack';

/** Reads the output directory of a synthesis. */
export function readAssembly(directory: string): Assembly {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { artifacts } = read('manifest.json') as {
    artifacts: Record<string, { type: string; properties: { templateFile: string; stackName?: string } }>;
  };
  const stacks = Object.entries(artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(([id, { properties }]) => [properties.stackName ?? id, read(properties.templateFile) as Template] as const);
  const nested: Record<string, Template> = {};
  const open = stacks.map(([, template]) => template);
  for (let template = open.pop(); template; template = open.pop()) {
    for (const file of Object.values(template.Resources).flatMap((resource) => nestedFile(resource) ?? [])) {
      open.push((nested[file] = read(file) as Template));
    }
  }
  return { stacks: Object.fromEntries(stacks), nested };
}

/** Returns the file name of a nested stack, which the CDK stores in the metadata. */
function nestedFile({ Type, Metadata }: Resource): string | undefined {
  return Type === NESTED ? basename(String(Metadata?.['aws:asset:path'])) : undefined;
}

/** Returns the position and target of each reference that leads nowhere. */
export function brokenReferences({ stacks, nested }: Assembly): string[] {
  const all = { ...stacks, ...nested };
  return Object.entries(all).flatMap(([name, template]) => {
    const broken: string[] = [];
    const check = new References(template, { stacks, nested }, (where, target) =>
      broken.push(`${name}: ${where} names ${target}`),
    );
    check.resources();
    check.walk(template.Outputs ?? {}, 'Outputs');
    check.walk(template.Conditions ?? {}, 'Conditions');
    return broken;
  });
}

class References {
  readonly #template: Template;
  readonly #assembly: Assembly;
  readonly #report: (where: string, target: string) => void;

  constructor(template: Template, assembly: Assembly, report: (where: string, target: string) => void) {
    this.#template = template;
    this.#assembly = assembly;
    this.#report = report;
  }

  resources(): void {
    for (const [id, resource] of Object.entries(this.#template.Resources)) {
      for (const other of [(resource as { DependsOn?: string | string[] }).DependsOn ?? []].flat()) {
        if (!(other in this.#template.Resources)) this.#report(`${id}.DependsOn`, other);
      }
      this.walk(resource, id);
      if (resource.Type === NESTED) this.#parameters(id, resource);
    }
  }

  /** Checks that a nested stack gets exactly the parameters that it declares. */
  #parameters(id: string, resource: Resource): void {
    const { Parameters: declared = {} } = this.#assembly.nested[nestedFile(resource)!]!;
    const given = (resource.Properties?.['Parameters'] ?? {}) as Record<string, unknown>;
    for (const name of Object.keys(given)) if (!(name in declared)) this.#report(`${id}.Parameters`, name);
    for (const name of Object.keys(declared)) if (!(name in given)) this.#report(id, `no value for ${name}`);
  }

  walk(value: unknown, where: string): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      this.#checkOne(key, part, where);
      this.walk(part, `${where}.${key}`);
    }
  }

  #checkOne(key: string, target: unknown, where: string): void {
    switch (key) {
      case 'Ref':
        return this.#expect(this.#isValue(target as string), where, target);
      case 'Condition':
        // The field `Condition` of a policy statement is an object.
        if (typeof target === 'string') this.#expect(this.#isCondition(target), where, target);
        return;
      case 'Fn::If':
        return this.#expect(this.#isCondition((target as [string])[0]), where, target);
      case 'Fn::GetAtt':
        return this.#attribute(target as string | [string, string], where);
      case 'Fn::Sub':
        return this.#substitution(target as string | [string, object], where);
      case 'Fn::FindInMap':
        return this.#expect(this.#isInMap(target as unknown[]), where, target);
      case 'Fn::ImportValue':
        return this.#expect(this.#isExported(target), where, target);
      case 'Fn::GetStackOutput':
        return this.#stackOutput(target as { StackName: string; OutputName: string }, where);
    }
  }

  #expect(isThere: boolean, where: string, target: unknown): void {
    if (!isThere) this.#report(where, typeof target === 'string' ? target : JSON.stringify(target));
  }

  #isValue(name: string): boolean {
    const { Resources, Parameters = {} } = this.#template;
    return name in Resources || name in Parameters || PSEUDO_PARAMETERS.has(name);
  }

  #isCondition(name: string): boolean {
    return name in (this.#template.Conditions ?? {});
  }

  #attribute(target: string | [string, string], where: string): void {
    const [id, ...rest] = typeof target === 'string' ? target.split('.') : target;
    const resource = this.#template.Resources[id!];
    if (!resource) return this.#report(where, JSON.stringify(target));
    const output = /^Outputs\.(.+)$/.exec(rest.join('.'))?.[1];
    if (resource.Type !== NESTED || output === undefined) return;
    this.#expect(output in (this.#assembly.nested[nestedFile(resource)!]!.Outputs ?? {}), where, target);
  }

  #substitution(target: string | [string, object], where: string): void {
    const [text, own] = typeof target === 'string' ? [target, {}] : target;
    const names = [...text.matchAll(/\$\{([^!}]+)\}/g)].map(([, name]) => name!);
    for (const name of names.filter((name) => !(name in own))) {
      if (name.includes('.')) this.#attribute(name, where);
      else this.#expect(this.#isValue(name), where, name);
    }
  }

  #isInMap([map, first, second]: unknown[]): boolean {
    const found = this.#template.Mappings?.[map as string];
    if (!found || typeof first !== 'string') return found !== undefined;
    return found[first] !== undefined && (typeof second !== 'string' || second in found[first]);
  }

  #isExported(name: unknown): boolean {
    const wanted = JSON.stringify(name);
    const outputs = Object.values(this.#assembly.stacks).flatMap(({ Outputs = {} }) => Object.values(Outputs));
    return outputs.some(({ Export }) => Export !== undefined && JSON.stringify(Export.Name) === wanted);
  }

  #stackOutput({ StackName, OutputName }: { StackName: string; OutputName: string }, where: string): void {
    const { Outputs = {} } = this.#assembly.stacks[StackName] ?? { Resources: {} };
    this.#expect(OutputName in Outputs, where, `${StackName}.${OutputName}`);
  }
}
