import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { examplesOf } from '../../lambdas/api/service/reference.ts';
import type { SchemaObject } from '../../lambdas/api/service/openapi-types.ts';
import type { Route } from '../../lambdas/route.ts';
import { routes } from '../../lambdas/routes.ts';
import { documentFile, documentText } from '../../lib/openapi/write.ts';
import { document, documentedOperations, documentedResponse, misfit } from '../support/openapi.ts';

const isSentence = (text: string) =>
  text.split(/\s+/).length >= 5 && /^[A-Z`\d“"]/.test(text) && !text.startsWith('Of ') && text.endsWith('.');

describe('the OpenAPI document', () => {
  it('is up to date with the manifest and the schemas (npm run openapi writes it)', async () => {
    expect(readFileSync(documentFile, 'utf8') === (await documentText())).toBe(true);
  });

  it('has every route of the manifest, and no other', () => {
    const expected = Object.values<Route>(routes).flatMap(({ method, paths }) =>
      paths.map((path) => `${method} ${path.replace('+}', '}')}`),
    );
    expect(documentedOperations.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  });

  it('has an answer for a busy table (529) on every route that uses the table', () => {
    const using = Object.values<Route>(routes).filter(({ grants }) => grants.table?.length);
    const names = new Set(
      using.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path.replace('+}', '}')}`)),
    );
    const unlisted = documentedOperations.filter(
      ({ name, operation }) => names.has(name) && !operation.responses['529'],
    );
    expect(names.size).toBeGreaterThan(50);
    expect(unlisted.map(({ name }) => name)).toEqual([]);
  });

  it('has only resources that docs/api.md names', () => {
    const overview = readFileSync('docs/api.md', 'utf8');
    const resources = new Set(documentedOperations.map(({ path }) => `/v1/${path.split('/')[1]}`));
    const unnamed = [...resources].filter((resource) => !overview.includes(`\`${resource}\``));
    expect(unnamed).toEqual([]);
  });

  it.each(documentedOperations)('has examples for $name that fit its schemas', ({ operation }) => {
    const responses = Object.keys(operation.responses).map((status) => documentedResponse(operation, Number(status)));
    const media = [operation.requestBody, ...responses].flatMap((part) => Object.values(part?.content ?? {}));
    for (const each of media) {
      for (const { value } of examplesOf(each)) expect(misfit(each.schema, value)).toBeUndefined();
    }
  });

  it('describes every field, including those of answers with names chosen by the client', () => {
    const undescribed = new Set<string>();
    const walk = (schema: SchemaObject, path: string) => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const isTold = field.description !== undefined || field.$ref !== undefined;
        // A constant value needs no description.
        if (!isTold && field.const === undefined) undescribed.add(`${path}.${name}`);
        walk(field, `${path}.${name}`);
      }
      const { items, anyOf = [], oneOf = [], additionalProperties: values } = schema;
      for (const part of [items, ...anyOf, ...oneOf, values]) if (typeof part === 'object') walk(part, path);
    };
    for (const { name, operation } of documentedOperations) {
      for (const { name: parameter, description } of operation.parameters ?? []) {
        if (description === undefined) undescribed.add(`${name} ?${parameter}`);
      }
      const own = Object.keys(operation.responses).map((status) => documentedResponse(operation, Number(status)));
      for (const part of [operation.requestBody, ...own]) {
        for (const { schema } of Object.values(part?.content ?? {})) walk(schema, name);
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name);

    expect([...undescribed]).toEqual([]);
  });

  it('describes every value of an enumeration, or at most one of them', () => {
    const incomplete = new Set<string>();
    const check = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { enum: values = [], description } = value as SchemaObject;
      const named = values.filter((one) => description?.includes(`\`${String(one)}\``));
      if (named.length > 1 && named.length < values.length) incomplete.add(description!);
      Object.values(value).forEach(check);
    };
    check(document);

    expect([...incomplete]).toEqual([]);
  });

  it('has descriptions of at least five words, with a subject and a full stop', () => {
    const texts = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        if (name.startsWith('example')) continue;
        if (name === 'description' && typeof inner === 'string') texts.add(inner);
        else collect(inner);
      }
    };
    const { info: _introduction, ...described } = document;
    collect(described);

    expect([...texts].filter((text) => !isSentence(text))).toEqual([]);
  });
});
