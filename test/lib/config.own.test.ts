import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { reservesConcurrency } from '../../lib/aws/reserved-concurrency.ts';
import { readConfig } from '../../lib/aws/config.ts';

/** Write units of a request: more than for a short answer with one limit, less than for an answer of 5,000 tokens. */
const UNITS_OF_A_REQUEST = 40;

it('by default, the write capacity of the table matches the rate limit of the API', () => {
  const { rateLimit, maxWriteUnits } = readConfig(() => undefined);
  expect(maxWriteUnits).toBeGreaterThanOrEqual(rateLimit * UNITS_OF_A_REQUEST);
});

const modelsOf = (text: string | undefined) =>
  readConfig((key) => (key === 'gateway:bedrockModels' ? text : undefined)).bedrockModels;

describe('the models of Amazon Bedrock that the functions may invoke themselves', () => {
  it('are none by default', () => {
    expect(modelsOf(undefined)).toEqual([]);
  });

  it('are ARNs with a comma between them', () => {
    const model = 'arn:aws:bedrock:*::foundation-model/amazon.nova-*';
    const profile = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-*';

    expect(modelsOf(`${model}, ${profile}`)).toEqual([model, profile]);
  });

  it('are refused in another form', () => {
    expect(() => modelsOf('*')).toThrow('gateway:bedrockModels');
  });
});

const reviewersOf = (given: unknown) =>
  readConfig((key) => (key === 'gateway:reviewers' ? given : undefined)).reviewers;

describe('the setting of reviewers', () => {
  const role = 'arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Finance_1a2b';
  const user = 'arn:aws-cn:iam::123456789012:user/audit/ann@example.org';
  const account = 'arn:aws:iam::123456789012:root';

  it('is empty by default', () => {
    expect(reviewersOf(undefined)).toEqual([]);
  });

  it('is a list, or a text with commas', () => {
    expect(reviewersOf([role, user])).toEqual([role, user]);
    expect(reviewersOf(`${role}, ${account},`)).toEqual([role, account]);
  });

  it.each(['*', 'arn:aws:iam::123456789012:role/*', 'arn:aws:sts::123456789012:assumed-role/a/b', '123456789012'])(
    'is refused in another form, and never anybody: %s',
    (arn) => {
      expect(() => reviewersOf([arn])).toThrow(
        /gateway:reviewers.* is invalid: must be ARNs of roles, users or accounts/,
      );
    },
  );

  it.each([0, 'much'])('does not allow a query limit of %s gigabytes', (given) => {
    expect(() => readConfig((key) => (key === 'gateway:maxQueryGigabytes' ? given : undefined))).toThrow(
      'gateway:maxQueryGigabytes',
    );
  });
});

describe('settings that only make sense together', () => {
  const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b';

  it.each<[Record<string, unknown>, RegExp]>([
    [{ domain: 'api.example.org' }, /gateway:domain is invalid: requires gateway:certificateArn/],
    [{ certificateArn }, /gateway:certificateArn is invalid: requires gateway:domain/],
    [{ domain: 'https://api.example.org', certificateArn }, /gateway:domain is invalid: must be a name like/],
    [{ domain: 'api.example.org', certificateArn: 'my-certificate' }, /must be the ARN of a certificate/],
    [{ requestsPerKey: 1_000 }, /gateway:requestsPerKey is invalid: requires gateway:functionUrl to be false/],
    [{ requestsPerKey: 5, functionUrl: false }, /gateway:requestsPerKey/],
    [{ canaryMinutes: 7 }, /gateway:canaryMinutes is invalid: must be one of 0, 5, 10, 15, 30/],
    [{ concurrency: 'many' }, /gateway:concurrency/],
    [
      { variables: { LONG: 'x'.repeat(2_000) }, corsOrigins: `https://${'a'.repeat(600)}.example.org` },
      /gateway:variables is invalid: must have at most 2500 bytes, with gateway:corsOrigins, .*; there are 26\d\d/,
    ],
    [{ reserveWorkers: true }, /gateway:reserveWorkers is invalid: requires gateway:concurrency: set it to/],
    [
      { reserveWorkers: 'true', concurrency: 187 },
      /requires gateway:concurrency to be at least 188: workers reserve 88, and Lambda keeps 100 for other functions/,
    ],
  ])('are refused with the missing setting: %j', (settings, words) => {
    expect(() => readConfig((key) => settings[key.slice('gateway:'.length)])).toThrow(words);
  });

  it('may be texts of a command line', () => {
    const given: Record<string, unknown> = { domain: 'api.example.org', certificateArn, requestsPerKey: '900' };
    const config = readConfig((key) => ({ ...given, functionUrl: 'false', canaryMinutes: '10' })[key.slice(8)]);
    expect(config).toMatchObject({ ...given, requestsPerKey: 900, functionUrl: false, canaryMinutes: 10 });
  });
});

describe('workers', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{}, false],
    // A new account of AWS has a concurrency of 10 by default.
    [{ concurrency: 10 }, false],
    [{ concurrency: 187 }, false],
    [{ concurrency: 188 }, true],
    [{ concurrency: '1000' }, true],
    [{ concurrency: 1_000, reserveWorkers: false }, false],
    [{ concurrency: 188, reserveWorkers: 'true' }, true],
  ])('reserve their concurrency if the account is known to have enough: %j, %s', (settings, isReserved) => {
    const config = readConfig((key) => settings[key.slice('gateway:'.length)]);
    expect(reservesConcurrency(config)).toBe(isReserved);
  });
});

const configOf = (settings: Record<string, unknown>) => {
  const context = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`gateway:${name}`, value]));
  return readConfig((key) => context[key], [...Object.keys(context), 'cli-telemetry', '@aws-cdk/core:x']);
};

describe('a setting that is empty', () => {
  it.each([
    'booksLockDays',
    'canaryMinutes',
    'rateLimit',
    'corsOrigins',
    'tags',
    'catalog',
    'alarmEmail',
    'bedrockModels',
  ])('is refused, because a variable of a shell may be unset: %s', (name) => {
    expect(() => configOf({ [name]: '' })).toThrow(`gateway:${name} is invalid: is empty`);
    expect(() => configOf({ [name]: null })).toThrow(`gateway:${name} is invalid: is empty`);
  });

  it('does not mean 0', () => {
    expect(configOf({ booksLockDays: '0' }).booksLockDays).toBe(0);
    expect(configOf({ booksLockDays: 0 }).booksLockDays).toBe(0);
  });
});

describe('a number in the settings of the app', () => {
  it.each([true, false, 'many', '1e3', [], {}, ' 5', 'NaN'])('is not %j', (value) => {
    for (const name of ['booksLockDays', 'rateLimit', 'canaryMinutes', 'concurrency', 'maxWriteUnits']) {
      expect(() => configOf({ [name]: value })).toThrow(new RegExp(`gateway:${name} is invalid: must be `));
    }
  });

  it('is refused with the allowed range', () => {
    expect(() => configOf({ warmWriteUnits: 10 })).toThrow('must be a whole number from 4000 to 40000');
    expect(() => configOf({ rateLimit: 0 })).toThrow('must be a number above 0');
  });
});

describe('an unknown setting', () => {
  it.each([
    ['stag', 'gateway:stag is not a setting of the gateway. Did you mean gateway:stage?'],
    ['rateLimits', 'Did you mean gateway:rateLimit?'],
    ['streamruntime', 'Did you mean gateway:streamRuntime?'],
    ['colour', 'gateway:colour is not a setting of the gateway. The settings are stage,'],
  ])('is refused: %s', (name, words) => {
    expect(() => configOf({ [name]: 'web' })).toThrow(words);
  });

  it('is reported together with every other fault', () => {
    expect(() => configOf({ stag: 'next', rateLimit: 'x', tags: '' })).toThrow(
      /gateway:stag is not[\s\S]*gateway:tags is invalid[\s\S]*gateway:rateLimit is invalid/,
    );
  });
});

describe('tags and variables', () => {
  it('may be JSON on a command line', () => {
    const { tags, variables } = configOf({ tags: '{"team":"x"}', variables: '{"YANDEX_FOLDER_ID":"b1g"}' });
    expect([tags, variables]).toEqual([{ team: 'x' }, { YANDEX_FOLDER_ID: 'b1g' }]);
  });

  it.each(['team=x', '{"team":1}', '[]', '{'])('are refused with an example: %s', (text) => {
    expect(() => configOf({ tags: text })).toThrow('must be a map of texts, or its JSON, such as {"team": "platform"}');
  });

  it('may have letters of any language, and the characters that all services of AWS accept', () => {
    const tags = { 'команда:платформа': 'ann+bob@example.org', 'cost-center': '', a_b: '10 / 2 = 5.0' };
    expect(configOf({ tags }).tags).toEqual(tags);
    expect(() => configOf({ tags, streamRuntime: 'web' })).toThrow('gateway:tags is invalid: must be at most 49 tags');
    expect(configOf({ tags: { 'cost-center': '10 / 2' }, streamRuntime: 'web' }).tags).toBeDefined();
  });

  it.each<[why: string, tags: Record<string, string>]>([
    ['a reserved name', { 'AWS:team': 'x' }],
    ['a reserved value', { team: 'aws:x' }],
    ['a character in a name', { 'R&D': 'x' }],
    ['a character in a value', { team: 'R&D' }],
    ['names that are equal in IAM', { Team: 'x', team: 'y' }],
    ['their number', Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`name${index}`, 'x']))],
  ])('are refused as tags if a service of AWS would reject them because of %s', (_why, tags) => {
    expect(() => configOf({ tags })).toThrow('gateway:tags is invalid: must be at most 49 tags');
  });

  it.each(['A', '_A', '1A', 'a_b', 'A-B'])('are refused as variables if Lambda would reject the name: %s', (name) => {
    expect(() => configOf({ variables: { [name]: 'x' } })).toThrow('gateway:variables');
  });
});

it('the app reports invalid settings before it bundles anything', () => {
  const env = { ...process.env, CDK_CONTEXT_JSON: '{"gateway:stag":"next"}' };
  const { status, stderr } = spawnSync(process.execPath, ['bin/gateway.ts'], { env, encoding: 'utf8' });

  expect(stderr).toBe('gateway:stag is not a setting of the gateway. Did you mean gateway:stage?\n');
  expect(status).toBe(1);
});
