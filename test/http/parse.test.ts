import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseWith, readRequestJson } from '../../lambdas/http/parse.ts';
import { normaliseRequest, type HttpEvent, type HttpRequest } from '../../lambdas/http/request.ts';
import { receivedBody } from '../../lambdas/server/http-events.ts';
import { refused } from '../support/refused.ts';

const person = z.strictObject({ name: z.string(), age: z.int().optional() });

const parseBody = (body: string, headers: Record<string, string> = {}) =>
  parseWith(person, readRequestJson({ headers, body } as HttpRequest));

describe('a JSON body', () => {
  it.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    ' Application/JSON ',
    'application/merge-patch+json',
    'application/json, application/json',
  ])('is read with the content type %j', (contentType) => {
    const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };

    expect(parseBody('{"name":"Ada"}', headers)).toEqual({ name: 'Ada' });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json', ''])(
    'is refused with 415 with the content type %j',
    (contentType) => {
      const error = refused(() => parseBody('{"name":"Ada"}', { 'content-type': contentType }));

      expect(error).toMatchObject({ status: 415, kind: 'unsupported_media_type' });
    },
  );

  it('is refused with 415 if its letters are in another charset than UTF-8', () => {
    const latin = Buffer.from('{"name":"\u00c0da"}', 'latin1').toString('utf8');
    const contentType = 'application/json; charset="windows-1251"';

    const error = refused(() => parseBody(latin, { 'content-type': contentType }));

    expect(error).toMatchObject({ status: 415, kind: 'unsupported_media_type' });
    expect(error.message).toBe('Send the body as "content-type: application/json", in UTF-8.');
  });

  it.each([
    ['windows-1251', Buffer.from([0x22, 0xcf, 0xf0, 0xe8, 0x22]), true],
    ['UTF-8', Buffer.from('"При\ufffd"'), false],
  ])('is refused with 415 if its undeclared bytes are in another charset: %s', (_, bytes, isRefused) => {
    const { text, isBase64 } = receivedBody({ headers: {} } as IncomingMessage, bytes);
    const event = { rawPath: '/', headers: {}, rawQueryString: '', requestContext: { http: {} } };
    const request = normaliseRequest({ ...event, body: text, isBase64Encoded: isBase64 } as unknown as HttpEvent);

    if (isRefused) expect(refused(() => readRequestJson(request))).toMatchObject({ status: 415 });
    else expect(readRequestJson(request)).toBe('При\ufffd');
  });

  it('is read if it declares another charset, but has only ASCII characters', () => {
    expect(parseBody('{"name":"Ada"}', { 'content-type': 'application/json; charset=iso-8859-1' })).toEqual({
      name: 'Ada',
    });
  });

  it.each(['UTF-8', '"utf-8"', ' utf8'])('may contain U+FFFD with the charset %s', (charset) => {
    const contentType = `application/json; charset=${charset}`;

    expect(parseBody('{"name":"\ufffd"}', { 'content-type': contentType })).toEqual({ name: '\ufffd' });
  });

  it('is refused as a whole if it is not an object', () => {
    expect(refused(() => parseBody('[]'))).toMatchObject({ status: 400, metadata: { field: 'body' } });
  });
});

const fault = (schema: z.ZodType, value: unknown) => refused(() => parseWith(schema, value));

describe('a refused field', () => {
  it('has its whole path in the error', () => {
    const error = fault(z.object({ people: z.array(person) }), { people: [{ name: 'Ada' }, { name: 5 }] });

    expect(error.metadata['field']).toBe('people.1.name');
    expect(error.message).toMatch(/^people\.1\.name: /);
  });

  it('is reported as required if it is missing', () => {
    expect(fault(person, {}).message).toBe('name: is required (expected string)');
  });

  it('is reported as unknown, with the known fields, before a missing one', () => {
    expect(fault(person, { nmae: 'Ada' }).message).toBe('nmae: is not a known field; known fields: name, age');
  });

  it('is reported as unknown with the known fields, also through refinements', () => {
    const refined = person.refine(() => true).transform((value) => value);

    expect(fault(refined, { nmae: 'Ada' }).message).toContain('known fields: name, age');
  });

  it('is reported as unknown without the fields of another level', () => {
    const error = fault(z.object({ person }), { person: { name: 'Ada', nick: 'A' } });

    expect(error.message).toBe('person.nick: is not a known field');
  });

  it('is that of the union member with the deepest match', () => {
    const either = z.object({ who: z.union([z.string(), z.object({ person })]) });

    expect(fault(either, { who: { person: { name: 5 } } }).metadata['field']).toBe('who.person.name');
  });

  it('is cut in the error if its name is very long', () => {
    const field = fault(person, { name: 'Ada', ['x'.repeat(5_000)]: 1 }).metadata['field'];

    expect(field).toBe('x'.repeat(100));
  });

  it('may have details for programs', () => {
    const details = { error_code: 'too_young' };
    const schema = person.superRefine((_, context) => {
      context.addIssue({ code: 'custom', path: ['age'], message: 'is too low', params: { details } });
    });

    expect(fault(schema, { name: 'Ada' })).toMatchObject({ message: 'age: is too low', details });
  });

  it('has the name that the caller gives for the value itself', () => {
    expect(refused(() => parseWith(person, 'x', 'query')).metadata['field']).toBe('query');
  });
});
