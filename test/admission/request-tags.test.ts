import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../lambdas/admission/caller.ts';
import { tagsOfRequest, takeTagsField } from '../../lambdas/admission/tags/tags-of-request.ts';
import { noSensitiveData } from '../../lambdas/store/accounts/sensitive-data.ts';
import { noUseLimits, type RequiredTags } from '../../lambdas/store/accounts/use-limits.ts';
import { refused } from '../support/refused.ts';

interface Setting {
  tags?: Record<string, string>;
  isProtected?: boolean;
  requiredTags?: RequiredTags;
  ofWorkspace?: RequiredTags;
}

function callerWith({ tags, isProtected = false, requiredTags, ofWorkspace }: Setting = {}): Caller {
  const sensitiveData = { ...noSensitiveData, enabled: isProtected };
  return {
    key: { ...noUseLimits, requiredTags, tags, sensitiveData },
    workspace: { ...noUseLimits, requiredTags: ofWorkspace },
    member: undefined,
  } as unknown as Caller;
}

interface Sent {
  header?: string;
  headers?: Record<string, string>;
  field?: unknown;
  body?: object;
}

const tagsOf = ({ header, headers = {}, field, body = {} }: Sent, setting?: Setting) =>
  tagsOfRequest(
    callerWith(setting),
    { ...headers, ...(header === undefined ? {} : { 'x-gateway-tags': header }) },
    { body, field },
  );

const faultOf = (sent: Sent, setting?: Setting) => refused(() => tagsOf(sent, setting));
const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('a key of the gateway that is sent as a tag', () => {
  const secret = `sk-mg-v1-${'0a'.repeat(32)}`;

  it('is recorded as a hash, wherever it is', () => {
    const tags = tagsOf({
      header: `team=${secret}`,
      field: { project: `p ${secret}` },
      body: { user: secret, session_id: secret },
    });

    const hash = digest(secret);
    expect(tags).toEqual({ user: hash, session: hash, team: hash, project: digest(`p ${secret}`) });
  });
});

describe('the header x-gateway-tags', () => {
  it.each([
    ['project=lake,team=core', { project: 'lake', team: 'core' }],
    [' project = lake , team=core ', { project: 'lake', team: 'core' }],
    ['project=lake,,team=core,', { project: 'lake', team: 'core' }],
    ['project=a%2Cb,city=%D0%9E%D0%BC%D1%81%D0%BA', { project: 'a,b', city: 'Омск' }],
    ['share=50%25,formula=a=b', { share: '50%', formula: 'a=b' }],
    ['plus=a+b', { plus: 'a+b' }],
    ['constructor=x', { constructor: 'x' }],
    ['', {}],
    [' , ', {}],
  ])('is read: %j', (header, tags) => {
    expect(tagsOf({ header })).toEqual(tags);
  });

  it.each([
    ['project', /pairs of a name and a value/],
    ['project=%zz', /pairs of a name and a value/],
    ['project=%FF', /pairs of a name and a value/],
    ['project=caf\u00e9', /pairs of a name and a value/],
    ['Project=lake', /name that is not valid: it must be 1 to 40 lower-case/],
    [`${'n'.repeat(41)}=x`, /name that is not valid/],
    ['__proto__=x', /name that is not valid/],
    ['project=', /1 to 100 characters/],
    [`project=${'x'.repeat(101)}`, /1 to 100 characters/],
    ['project=a%0Ab', /on one line/],
    ['project=%E2%80%AEb', /without invisible characters/],
    ['project=a,project=b', /"project" twice/],
    [
      names(9)
        .map((name) => `${name}=x`)
        .join(','),
      /at most 8 tags/,
    ],
    ['x'.repeat(20_000), /at most 8 tags/],
  ])('is refused with 400: $0', (header, words) => {
    const { status, message, metadata } = faultOf({ header });

    expect([status, metadata['field'], message]).toEqual([400, 'x-gateway-tags', expect.stringMatching(words)]);
  });

  it('may have eight tags, each as long as possible', () => {
    const value = 'Ж'.repeat(100);
    const longest = names(8).map((name) => name.padEnd(40, '_'));
    const header = longest.map((name) => `${name}=${encodeURIComponent(value)}`).join(',');

    expect(tagsOf({ header })).toEqual(Object.fromEntries(longest.map((name) => [name, value])));
  });
});

describe('metadata.tags', () => {
  it.each([
    [{ project: ' lake ', city: 'Омск' }],
    ['project=lake,city=Омск'],
    [['project=lake', 'city=%D0%9E%D0%BC%D1%81%D0%BA']],
    [['project:lake', 'city:Омск']],
    ['project:lake,city:Омск'],
  ])('may be %j', (field) => {
    expect(tagsOf({ field })).toEqual({ project: 'lake', city: 'Омск' });
  });

  it.each([undefined, null, '', {}, []])('may be absent or empty: %j', (field) => {
    expect(tagsOf({ field })).toEqual({});
  });

  it.each([
    [7, 'metadata.tags'],
    [true, 'metadata.tags'],
    [{ project: null }, 'metadata.tags.project'],
    [{ project: 7 }, 'metadata.tags.project'],
    [{ project: ['lake'] }, 'metadata.tags.project'],
    [{ project: '' }, 'metadata.tags.project'],
    [{ 'my project': 'x' }, 'metadata.tags'],
    [JSON.parse('{"__proto__": "x"}'), 'metadata.tags'],
    [['project'], 'metadata.tags'],
    [[['project', 'lake']], 'metadata.tags'],
    [[null], 'metadata.tags'],
    [['a=1', 'a=2'], 'metadata.tags'],
    ['x'.repeat(10_000_000), 'metadata.tags'],
    [{ project: 'x'.repeat(10_000_000) }, 'metadata.tags.project'],
    [Object.fromEntries(names(100_000).map((name) => [name, 'x'])), 'metadata.tags'],
    [names(100_000).map((name) => `${name}=x`), 'metadata.tags'],
  ])('is refused with the name of the field: $0', (field, named) => {
    const { status, message, metadata } = faultOf({ field });

    expect([status, metadata['field']]).toEqual([400, named]);
    expect(message.length).toBeLessThan(300);
  });

  it('is removed from a body, and so is metadata without other fields', () => {
    const [alone, together, without] = [
      { metadata: { tags: 'a=b' }, model: 'm' },
      { metadata: { tags: { a: 'b' }, user_id: 'u' } },
      { metadata: { user_id: 'u' } },
    ];

    expect([takeTagsField(alone), takeTagsField(together), takeTagsField(without)]).toEqual([
      'a=b',
      { a: 'b' },
      undefined,
    ]);
    expect([alone, together, without]).toEqual([
      { model: 'm' },
      { metadata: { user_id: 'u' } },
      { metadata: { user_id: 'u' } },
    ]);
  });

  it.each([undefined, null, 'text', [], [{ tags: 'a=b' }], { metadata: null }, { metadata: 'x' }, { metadata: [] }])(
    'is not looked for in %j',
    (body) => {
      expect(takeTagsField(body)).toBeUndefined();
    },
  );

  it('and the header may state eight tags together', () => {
    const field = Object.fromEntries(names(6).map((name) => [name, 'x']));

    expect(Object.keys(tagsOf({ field, header: 't0=y,a=1,b=2' }))).toHaveLength(8);
    expect(faultOf({ field, header: 'a=1,b=2,c=3' })).toMatchObject({
      status: 400,
      metadata: { field: 'x-gateway-tags' },
    });
  });
});

describe('fields and headers that are mapped to tags', () => {
  const uuid = '7d8c2a10-4c1e-4a6f-9a53-3b8c5a1f0e77';

  it.each<[string, Sent, object]>([
    ['user', { body: { user: 'ann' } }, { user: 'ann' }],
    ['safety_identifier', { body: { user: 'ann', safety_identifier: 'a-1' } }, { user: 'a-1' }],
    ['metadata.user_id', { body: { metadata: { user_id: 'ann' } } }, { user: 'ann' }],
    ['session_id', { body: { session_id: 's', prompt_cache_key: 'c' } }, { session: 's' }],
    ['prompt_cache_key', { body: { prompt_cache_key: 'c' } }, { session: 'c' }],
    ['x-claude-code-session-id', { headers: { 'x-claude-code-session-id': 's' } }, { session: 's' }],
    ['x-session-id', { headers: { 'x-session-id': 's' } }, { session: 's' }],
    ['trace', { body: { trace: { trace_id: 't', span_name: 'x' } } }, { trace: 't' }],
    [
      'traceparent',
      { headers: { traceparent: `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01` } },
      { trace: 'a1'.repeat(16) },
    ],
    [
      "Claude Code's user",
      { body: { metadata: { user_id: `user_1f_account__session_${uuid}` } } },
      { user: 'user_1f_account_', session: uuid },
    ],
    [
      "Claude Code's user as JSON",
      { body: { metadata: { user_id: `{"device_id":"d","account_uuid":"","session_id":"${uuid}"}` } } },
      { user: 'd', session: uuid },
    ],
  ])('are recorded: %s', (_, sent, tags) => {
    expect(tagsOf(sent)).toEqual(tags);
  });

  it.each<[string, Sent]>([
    ['wrong types', { body: { user: 7, session_id: {}, trace: 'x', metadata: [] } }],
    ['empty texts', { body: { user: ' ', session_id: '', trace: { trace_id: '\n' } } }],
    ['endless texts', { body: { user: 'x'.repeat(10_000_000), session_id: '_session_'.repeat(1_000_000) } }],
    ['no trace', { headers: { traceparent: `00-${'0'.repeat(32)}-${'b2'.repeat(8)}-01` } }],
    ['a body of another type', { body: ['user'] }],
  ])('are never an error: %s', (_, sent) => {
    expect(tagsOf(sent)).toEqual({});
  });

  it.each(['x'.repeat(101), 'two\nlines', 'a\u202eb'])(
    'are recorded as a digest if they are no valid value: $0',
    (user) => {
      expect(tagsOf({ body: { user } })).toEqual({ user: digest(user) });
    },
  );

  it('are recorded as a digest if the key protects sensitive data, unlike stated tags', () => {
    const sent = { body: { user: 'ann@example.org', session_id: 's' }, header: 'project=lake' };

    expect(tagsOf(sent, { isProtected: true })).toEqual({
      user: digest('ann@example.org'),
      session: digest('s'),
      project: 'lake',
    });
  });
});

describe('required tags', () => {
  const requiredTags = { project: ['lake', 'core'], team: null };

  it.each<[Sent, Setting]>([
    [{ header: 'project=core,team=x' }, {}],
    [{ field: { project: 'lake' }, header: 'team=y' }, {}],
    [{ header: 'project=lake' }, { tags: { team: 'of the key' } }],
  ])('accept %j', (sent, setting) => {
    expect(Object.keys(tagsOf(sent, { ...setting, requiredTags })).toSorted()).toEqual(['project', 'team']);
  });

  it.each<[Sent, string, string[] | null, RegExp]>([
    [
      {},
      'project',
      ['lake', 'core'],
      /^metadata\.tags\.project: This key requires the tag "project" with one of these values: lake, core\./,
    ],
    [{ header: 'project=Lake,team=x' }, 'project', ['lake', 'core'], /one of these values: lake, core/],
    [{ header: 'project=lake' }, 'team', null, /the tag "team" with a value of your choice/],
  ])('refuse %j with 403 and the allowed values', (sent, tag, values, words) => {
    const { status, message, metadata } = faultOf(sent, { requiredTags });

    expect([status, message]).toEqual([403, expect.stringMatching(words)]);
    expect(metadata).toEqual({
      field: `metadata.tags.${tag}`,
      limit_source: 'required_tags',
      tag,
      allowed_values: values,
    });
    expect(message).not.toContain('Lake');
  });

  it('of the workspace apply in addition to those of the key', () => {
    const setting = { requiredTags, ofWorkspace: { project: ['lake'] } };

    expect(faultOf({ header: 'project=core,team=x' }, setting).message).toMatch(/The workspace of this key requires/);
    expect(tagsOf({ header: 'project=lake,team=x' }, setting)).toEqual({ project: 'lake', team: 'x' });
  });

  it('accept mapped fields, and no name that every object has', () => {
    expect(tagsOf({ body: { user: 'ann' } }, { requiredTags: { user: null } })).toEqual({ user: 'ann' });
    expect(faultOf({}, { requiredTags: { constructor: null } }).status).toBe(403);
  });

  it('name at most ten values in the message', () => {
    const { message, metadata } = faultOf({}, { requiredTags: { project: names(50) } });

    expect(message).toMatch(/t9, and 40 more\. Send/);
    expect(metadata['allowed_values']).toHaveLength(50);
  });
});
