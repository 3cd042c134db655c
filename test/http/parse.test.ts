import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseJsonBody, parseWith } from '../../lambdas/http/parse.ts';
import type { HttpRequest } from '../../lambdas/http/request.ts';
import { refused } from '../support/refused.ts';

const person = z.strictObject({ name: z.string(), age: z.int().optional() });

const parseBody = (body: string, headers: Record<string, string> = {}) =>
  parseJsonBody({ headers, body } as HttpRequest, person);

describe('a JSON body', () => {
  it.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    ' Application/JSON ',
    'application/merge-patch+json',
  ])('is read when it is sent as %j', (contentType) => {
    const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };

    expect(parseBody('{"name":"Ada"}', headers)).toEqual({ name: 'Ada' });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json', ''])(
    'is refused with 415 when it is sent as %j',
    (contentType) => {
      const error = refused(() => parseBody('{"name":"Ada"}', { 'content-type': contentType }));

      expect(error).toMatchObject({ status: 415, kind: 'unsupported_media_type' });
    },
  );

  it('that is no object of fields is refused as a whole', () => {
    expect(refused(() => parseBody('[]'))).toMatchObject({ status: 400, metadata: { field: 'body' } });
  });
});

const fault = (schema: z.ZodType, value: unknown) => refused(() => parseWith(schema, value));

describe('a field that is refused', () => {
  it('is named with its whole path', () => {
    const error = fault(z.object({ people: z.array(person) }), { people: [{ name: 'Ada' }, { name: 5 }] });

    expect(error.metadata['field']).toBe('people.1.name');
    expect(error.message).toMatch(/^people\.1\.name: /);
  });

  it('is said to be required when it is missing', () => {
    expect(fault(person, {}).message).toBe('name: is required (expected string)');
  });

  it('that nobody knows is named before one that is missing, with those that are known', () => {
    expect(fault(person, { nmae: 'Ada' }).message).toBe('nmae: is not a known field; known fields: name, age');
  });

  it('that nobody knows is named with those that are known, through refinements too', () => {
    const refined = person.refine(() => true).transform((value) => value);

    expect(fault(refined, { nmae: 'Ada' }).message).toContain('known fields: name, age');
  });

  it('that nobody knows is not named with the fields of another level', () => {
    const error = fault(z.object({ person }), { person: { name: 'Ada', nick: 'A' } });

    expect(error.message).toBe('person.nick: is not a known field');
  });

  it('is the one that the alternative which got furthest stumbled over', () => {
    const either = z.object({ who: z.union([z.string(), z.object({ person })]) });

    expect(fault(either, { who: { person: { name: 5 } } }).metadata['field']).toBe('who.person.name');
  });

  it('is cut where a client has written a book as its name', () => {
    const field = fault(person, { name: 'Ada', ['x'.repeat(5_000)]: 1 }).metadata['field'];

    expect(field).toBe('x'.repeat(100));
  });

  it('may come with words for machines', () => {
    const details = { error_code: 'too_young' };
    const schema = person.superRefine((_, context) => {
      context.addIssue({ code: 'custom', path: ['age'], message: 'is too low', params: { details } });
    });

    expect(fault(schema, { name: 'Ada' })).toMatchObject({ message: 'age: is too low', details });
  });

  it('is named as the caller says where the value itself is at fault', () => {
    expect(refused(() => parseWith(person, 'x', 'query')).metadata['field']).toBe('query');
  });
});
