import { describe, expect, it } from 'vitest';
import { argumentsSchema } from '../../lambdas/providers/translated/arguments-schema.ts';
import { typedSchema } from '../../lambdas/providers/translated/typed-schema.ts';
import { strictForm } from '../../lambdas/providers/translated/strict-form.ts';
import { isStrict } from '../../lambdas/providers/translated/function-tools.ts';
import { acyclicSchema } from '../../lambdas/providers/translated/acyclic-schema.ts';
import { strictSchema } from '../../lambdas/providers/anthropic/claude-schema.ts';
import { geminiSchema } from '../../lambdas/providers/google-gemini/gemini-schema.ts';

const text = { type: 'string' };
const withMember = (schema: unknown) => argumentsSchema({ type: 'object', properties: { member: schema } });

const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const sizeOf = (schema: object) => JSON.stringify(schema).length;
const referencesTo = (level: number) => Array.from({ length: 10 }, () => ({ $ref: `#/properties/l${level}` }));

describe('a schema that OpenAI enforces', () => {
  const place = { type: 'object', properties: { name: text }, required: ['name'], additionalProperties: false };

  it('has a reference with a description as the only variant of a union', () => {
    const $defs = { Place: place };
    const schema = closed({ a: { $ref: '#/$defs/Place', description: 'Where.', title: 'A', default: {} } }, { $defs });
    expect(strictForm(schema)).toEqual(
      closed({ a: { description: 'Where.', anyOf: [{ $ref: '#/$defs/Place' }] } }, { $defs }),
    );
  });

  it('may have objects as default values and examples, which have no type', () => {
    const member = { ...text, default: {}, examples: [{}] };
    expect(isStrict(closed({ member }))).toBe(true);
    expect(isStrict(closed({ member, default: {} }))).toBe(false);
  });

  it('has only formats that OpenAI enforces', () => {
    const schema = closed({ link: { type: 'string', format: 'uri' }, day: { type: 'string', format: 'date' } });
    expect(strictForm(schema)).toEqual(
      closed({
        link: { type: 'string', description: 'Constraints: {"format":"uri"}' },
        day: { type: 'string', format: 'date' },
      }),
    );
  });

  // https://github.com/openai/openai-agents-python/pull/4459
  it('has defaults only in descriptions, because Azure rejects them', () => {
    const schema = closed({ most: { type: 'integer', default: 10 }, near: { ...text, default: null }, default: text });
    expect(strictForm(schema)).toEqual(
      closed({
        most: { type: 'integer', description: 'Constraints: {"default":10}' },
        near: text,
        default: text,
      }),
    );
  });

  it('may have arguments named like keywords', () => {
    const schema = closed({ format: text, $ref: text });
    expect(strictForm(schema)).toEqual(schema);
    expect(isStrict(schema)).toBe(true);
  });

  it('may have objects as data, which are no schemas', () => {
    const data = { format: 'uri', $ref: '#/a', title: 'A' };
    const schema = closed({ default: { ...place, examples: [data] }, enum: { enum: [data, {}] } });
    expect(strictForm(schema)).toEqual(schema);
    expect(isStrict(schema)).toBe(true);
  });

  it.each([{}, { description: 'Anything.' }])('must have a type in every part: %j', (part) => {
    expect(isStrict(closed({ part }))).toBe(false);
    expect(isStrict(closed({ parts: { type: 'array', items: part } }))).toBe(false);
  });
});

describe('schemas of arguments', () => {
  it('are unchanged if every provider accepts them', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { place: text, pair: { type: 'array', prefixItems: [text] }, any: {} },
      required: ['place'],
      additionalProperties: false,
    };
    expect(argumentsSchema(schema)).toEqual(schema);
    expect(JSON.stringify(argumentsSchema(schema))).toBe(JSON.stringify(schema));
  });

  it.each([
    [
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 0 },
    ],
    [
      { type: 'integer', maximum: 9, exclusiveMaximum: false },
      { type: 'integer', maximum: 9 },
    ],
    [
      { type: 'array', items: [text, { type: 'array' }], additionalItems: false },
      { type: 'array', prefixItems: [text, { type: 'array', items: {} }], items: false },
    ],
    [{ type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
    [{ type: 'any' }, {}],
    [{ type: 'STRING' }, text],
    [{ type: 'ARRAY' }, { type: 'array', items: {} }],
    [{ type: ['Integer', 'NULL'] }, { type: ['integer', 'null'] }],
    [
      { type: 'object', properties: [] },
      { type: 'object', properties: {} },
    ],
    [
      { type: 'object', properties: [], additionalProperties: [], $defs: [] },
      { type: 'object', properties: {}, additionalProperties: {}, $defs: {} },
    ],
    [
      { type: 'array', items: [] },
      { type: 'array', items: {} },
    ],
    [
      { type: 'object', properties: { any: [], none: null, word: 'string' } },
      { type: 'object', properties: { any: {}, none: {}, word: {} } },
    ],
    [{ type: 'object', properties: null, required: null, description: null }, { type: 'object' }],
    [
      { default: null, const: null },
      { default: null, const: null },
    ],
    [{ type: 'string', enum: [] }, text],
    [true, {}],
    [false, { not: {} }],
    [
      { type: 'array', items: true },
      { type: 'array', items: {} },
    ],
    [
      { type: 'object', additionalProperties: true, patternProperties: { '^x': true } },
      { type: 'object', additionalProperties: true, patternProperties: { '^x': {} } },
    ],
    [{ anyOf: [{ type: 'array' }, text] }, { anyOf: [{ type: 'array', items: {} }, text] }],
  ])('are rewritten to the current draft: %j', (older, current) => {
    expect(withMember(older)).toEqual({ type: 'object', properties: { member: current } });
  });

  it('list the members that are marked as required', () => {
    const schema = { type: 'object', properties: { one: { ...text, required: true }, required: text } };
    expect(argumentsSchema(schema)).toEqual({
      ...schema,
      properties: { one: text, required: text },
      required: ['one'],
    });
  });

  it('keep texts that look like keywords', () => {
    const schema = { type: 'object', properties: { items: text, type: text }, default: { items: [1] } };
    expect(argumentsSchema(schema)).toEqual(schema);
  });

  it.each(['anyOf', 'oneOf', 'allOf'])('have no %s at their root', (union) => {
    const variants = [{ properties: { a: text } }, { properties: { b: text } }];
    expect(argumentsSchema({ [union]: variants })).toEqual({
      type: 'object',
      properties: { a: text, b: text },
      description: `Constraints: ${JSON.stringify({ [union]: variants })}`,
    });
  });

  it('begin with the definition that their root refers to', () => {
    const definitions = { A: { type: 'object', properties: { a: text } } };
    expect(argumentsSchema({ $ref: '#/definitions/A', definitions })).toEqual({ ...definitions.A, $defs: definitions });
  });

  it('have no identifiers, which OpenAI rejects if they are no URI', () => {
    expect(withMember({ $id: 'Parameters Schema', ...text })).toEqual(withMember(text));
    expect(argumentsSchema({ $id: 'a b', type: 'object', properties: { $id: text } })).toEqual({
      type: 'object',
      properties: { $id: text },
    });
  });

  it('refer only to definitions, because generators also refer to properties', () => {
    const place = { type: 'object', properties: { name: text } };
    const { properties, ...others } = argumentsSchema({
      type: 'object',
      properties: {
        place: { $ref: '#/definitions/Place' },
        from: { $ref: '#/properties/place', description: 'Where.' },
        name: { $ref: '#/definitions/Place/properties/name' },
        time: { $ref: '#/$defs/Time' },
      },
      definitions: { Place: place },
      $defs: { Time: text },
    });

    expect(properties).toEqual({
      place: { $ref: '#/$defs/Place' },
      from: { $ref: '#/$defs/Place', description: 'Where.' },
      name: text,
      time: { $ref: '#/$defs/Time' },
    });
    expect(others).toEqual({ type: 'object', $defs: { Place: place, Time: text } });
  });

  it.each([['#/$defs/Lost'], ['#/properties/lost'], ['https://example.com/place.json'], ['Place']])(
    'have no reference to nothing, because some agents remove the definitions: %s',
    ($ref) => {
      const properties = { place: { $ref, description: 'Where.' }, time: { $ref: '#/$defs/Time' } };
      const schema = { type: 'object', properties, $defs: { Time: text } };

      expect(argumentsSchema(schema)).toEqual({
        ...schema,
        properties: { ...properties, place: { description: 'Where.' } },
      });
      expect(argumentsSchema({ $ref })).toEqual({ type: 'object' });
    },
  );

  it('refer to the parts of a tuple', () => {
    const place = { type: 'object', properties: { name: text } };
    const pair = { type: 'array', items: [place, { $ref: '#/properties/pair/items/0' }] };
    const items = { type: 'array', items: place };
    const others = { last: { $ref: '#/properties/pair/items/1' }, inner: { $ref: '#/properties/items/items' } };

    expect(argumentsSchema({ type: 'object', properties: { pair, items, ...others } })).toEqual({
      type: 'object',
      properties: { pair: { type: 'array', prefixItems: [place, place] }, items, last: place, inner: place },
    });
  });

  it('keep circular references to properties', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#/properties/tree' } } };
    const schema = { type: 'object', properties: { tree, all: { $ref: '#' } } };
    expect(argumentsSchema(schema)).toEqual(schema);
  });

  it('keep circular references to a property that another property refers to', () => {
    const inner = {
      type: 'object',
      properties: { outer: { $ref: '#/properties/tree' }, own: { $ref: '#/properties/tree/properties/inner' } },
    };
    const properties = {
      tree: { type: 'object', properties: { inner } },
      other: { $ref: '#/properties/tree/properties/inner' },
    };

    expect(argumentsSchema({ type: 'object', properties })).toEqual({
      type: 'object',
      properties: {
        tree: properties.tree,
        other: { ...inner, properties: { outer: properties.tree, own: inner.properties.own } },
      },
    });
  });

  it('do not fail for a long chain of references', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { items: { $ref: `#/properties/p${index + 1}` } }]),
    );
    expect(
      argumentsSchema({ type: 'object', properties: { first: { $ref: '#/properties/p0' }, ...properties } }),
    ).toHaveProperty('properties.first.items');
  });

  it('do not grow without bound if references multiply', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 12 }, (_, depth) => [`l${depth}`, { anyOf: depth < 11 ? referencesTo(depth + 1) : [text] }]),
    );
    expect(JSON.stringify(argumentsSchema({ type: 'object', properties })).length).toBeLessThan(2_000_000);
  });

  it.each([
    ['description', { description: 'x'.repeat(10_000) }],
    ['enumeration', { enum: Array.from({ length: 1_000 }, (_, index) => `v${index}`) }],
  ])('do not grow without bound if many properties refer to a large %s', (_, large) => {
    const references = Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { $ref: '#/properties/first' }]);
    const properties = { first: { ...text, ...large }, ...Object.fromEntries(references) };
    const schema = { type: 'object', properties };

    expect(sizeOf(argumentsSchema(schema)) / sizeOf(schema)).toBeLessThan(6);
  });

  it('begin with the last definition of a chain of references', () => {
    const $defs = { Order: { $ref: '#/$defs/Purchase' }, Purchase: { type: 'object', properties: { id: text } } };
    expect(argumentsSchema({ $ref: '#/$defs/Order', $defs })).toEqual({ ...$defs.Purchase, $defs });
  });

  it('have the members of variants behind references', () => {
    const $defs = { Card: { type: 'object', properties: { number: text } } };
    const { properties } = argumentsSchema({
      oneOf: [{ $ref: '#/$defs/Card' }, { properties: { cash: text } }],
      $defs,
    });
    expect(properties).toEqual({ number: text, cash: text });
  });

  it.each(['#/$defs/%zz', '#/$defs/\ud800', '#/$defs/Gone', '#/$defs/Round', '#/$defs/toString'])(
    'keep a root reference without a target: %s',
    ($ref) => {
      const $defs = { Round: { $ref: '#/$defs/Round' } };
      expect(argumentsSchema({ $ref, $defs })).toMatchObject({ type: 'object' });
    },
  );
});

describe('schemas for Moonshot', () => {
  it('have the type of a union in its variants', () => {
    const union = { type: 'string', description: 'A.', oneOf: [{ enum: ['a'] }, { type: 'null' }] };
    expect(typedSchema({ type: 'object', properties: { union } })).toEqual({
      type: 'object',
      properties: { union: { description: 'A.', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] } },
    });
  });

  it('have the properties of all variants next to other properties, and the union in the description', () => {
    const union = { type: 'object', properties: { a: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(typedSchema({ type: 'object', properties: { union } })).toEqual({
      type: 'object',
      properties: {
        union: {
          type: 'object',
          properties: { a: text },
          description: 'Constraints: {"anyOf":[{"required":["a"]},{"required":["b"]}]}',
        },
      },
    });
  });

  it('have a union in place of a list of types', () => {
    const properties = {
      a: { type: ['string', 'null'], default: null, description: 'A.' },
      b: { type: ['array', 'null'], items: {} },
      c: { type: ['object', 'array'], properties: { d: text }, items: text, required: ['d'] },
      e: { type: ['string', 'integer', 'null'], enum: ['x', 1, null], minLength: 1 },
      f: { type: ['string'] },
    };
    const { anyOf: any } = typedSchema({});
    expect(typedSchema({ type: 'object', properties })).toEqual({
      type: 'object',
      properties: {
        a: {
          description: 'A.',
          anyOf: [
            { ...text, default: null },
            { type: 'null', default: null },
          ],
        },
        b: { anyOf: [{ type: 'array', items: { anyOf: any } }, { type: 'null' }] },
        c: {
          anyOf: [
            { type: 'object', properties: { d: text }, required: ['d'] },
            { type: 'array', items: text },
          ],
        },
        e: {
          anyOf: [
            { type: 'string', enum: ['x'], minLength: 1 },
            { type: 'integer', enum: [1] },
            { type: 'null', enum: [null] },
          ],
        },
        f: text,
      },
    });
  });

  it('have only values of their type', () => {
    const properties = {
      a: { type: 'string', nullable: true, enum: ['x', null] },
      b: { enum: ['x', 1, null] },
      c: { type: 'integer', enum: ['1', 2] },
      d: { type: 'string', enum: [1] },
    };
    expect(typedSchema({ type: 'object', properties })).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', nullable: true, enum: ['x'] },
        b: {
          anyOf: [
            { type: 'string', enum: ['x'] },
            { type: 'number', enum: [1] },
            { type: 'null', enum: [null] },
          ],
        },
        c: { type: 'integer', enum: [2] },
        d: text,
      },
    });
  });

  it('have a property for each required name, and a schema for all further items', () => {
    const { anyOf: any } = typedSchema({});
    const list = { type: 'array', prefixItems: [text], items: false };
    expect(typedSchema({ type: 'object', properties: { list }, required: ['list', 'b'] })).toEqual({
      type: 'object',
      properties: { list: { ...list, items: { anyOf: any } }, b: { anyOf: any } },
      required: ['list', 'b'],
    });
  });

  it('have a type in every part', () => {
    const properties = {
      a: {},
      b: { enum: [1] },
      c: { properties: {} },
      d: { anyOf: [{ const: true }] },
      e: { items: {} },
      f: { enum: [null] },
      g: { minLength: 1 },
      h: { description: 'A value.' },
    };
    const plain = ['string', 'number', 'boolean', 'null', 'object'].map((type) => ({ type }));
    const any = { anyOf: [...plain, { type: 'array', items: { anyOf: plain } }] };
    expect(typedSchema({ type: 'object', properties })).toEqual({
      type: 'object',
      properties: {
        a: any,
        b: { enum: [1], type: 'number' },
        c: { properties: {}, type: 'object' },
        d: { anyOf: [{ const: true, type: 'boolean' }] },
        e: { items: any, type: 'array' },
        f: { enum: [null], type: 'null' },
        g: { minLength: 1, type: 'string' },
        h: { description: 'A value.', ...any },
      },
    });
  });

  it('have a type in each member of a tuple, in each further condition, and in each property with a pattern', () => {
    const parts = {
      a: { type: 'array', prefixItems: [{ minLength: 1 }], items: { enum: [1] } },
      b: { type: 'object', allOf: [{ required: ['x'] }, { $ref: '#/$defs/c' }] },
      c: { type: 'object', patternProperties: { '^x': { enum: ['y'] } } },
    };
    expect(typedSchema({ type: 'object', properties: parts })).toEqual({
      type: 'object',
      properties: {
        a: { ...parts.a, prefixItems: [{ minLength: 1, type: 'string' }], items: { enum: [1], type: 'number' } },
        b: { ...parts.b, allOf: [{ type: 'object', required: ['x'] }, { $ref: '#/$defs/c' }] },
        c: { ...parts.c, patternProperties: { '^x': { enum: ['y'], type: 'string' } } },
      },
    });
  });
});

describe('whether a schema is strict', () => {
  const closed = { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false };

  it.each([
    ['a closed object', closed, true],
    ['a member with the name of a keyword', { ...closed, properties: { not: text }, required: ['not'] }, true],
    ['no object', {}, false],
    ['a list of several types', { ...closed, properties: { a: { type: 'array', prefixItems: [text] } } }, false],
    ['encoded content', { ...closed, properties: { a: { type: 'string', contentEncoding: 'base64' } } }, false],
    ['a definition of another document', { ...closed, properties: { a: { $ref: 'https://e.org/a.json' } } }, false],
    ['its own definition', { ...closed, properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: text } }, true],
    ['a pattern', { ...closed, properties: { a: { type: 'string', pattern: '^(?:a|b)$' } } }, true],
    ['a pattern that looks ahead', { ...closed, properties: { a: { type: 'string', pattern: '^(?!x)a' } } }, false],
    ['a keyword that OpenAI does not support', { ...closed, properties: { a: { oneOf: [text] } } }, false],
  ])('is decided correctly for %s', (_case, schema, strict) => {
    expect(isStrict(schema)).toBe(strict);
  });
});

describe('a keyword with a value that cannot become a text', () => {
  const keywords =
    '$schema $id $ref $defs $comment type format pattern required enum const items prefixItems properties additionalProperties anyOf allOf oneOf not if minimum maxLength multipleOf default title description dependencies';
  const odd = JSON.parse('{"toString":0,"valueOf":0}') as object;

  it.each(keywords.split(' '))('%s makes no conversion of a schema fail', (keyword) => {
    for (const value of [odd, [odd], { a: odd }]) {
      const member = { type: 'object', properties: { toString: text, a: text }, [keyword]: value };
      const schema = { type: 'object', properties: { member } };
      for (const convert of [argumentsSchema, typedSchema, acyclicSchema, strictSchema, geminiSchema, isStrict]) {
        expect(() => convert(schema), convert.name).not.toThrow(TypeError);
        expect(() => convert(argumentsSchema(schema)), convert.name).not.toThrow(TypeError);
      }
    }
  });
});
