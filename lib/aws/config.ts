import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { objectionToReserving } from './reserved-concurrency.ts';
import { jsonMap, someNumber, trueOrFalse, wholeNumber } from './config-values.ts';
import { StartFailure } from '../shared/failure.ts';

/**
 * Numbers of minutes for which new code may get a tenth of the traffic: 0 (all traffic at once), or a value that
 * CodeDeploy predefines.
 */
const canaryMinutes = [0, 5, 10, 15, 30] as const;
export type CanaryMinutes = (typeof canaryMinutes)[number];

/** Settings of a deployment, from cdk.json or the option `-c`. All of them are optional. */
const settingsSchema = z.strictObject({
  /** Part of the stack names. */
  stage: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,19}$/,
      'must begin with a small letter, and have at most 20 small letters, digits and hyphens',
    )
    .default('prod'),
  /**
   * Name of an existing table, for example one restored from a backup, that the deployment uses instead of its own.
   */
  tableName: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/, 'must be the name of a table')
    .optional(),
  /** Directory of a catalog that replaces the shipped catalog. */
  catalog: z.string().optional(),
  /** Steady rate limit of the whole API in requests per second, and the size of a burst in requests. */
  rateLimit: someNumber({ above: 0 }).default(1_000),
  burstLimit: wholeNumber({ min: 1 }).default(2_000),
  /**
   * Limits of the table and of each index, in read and write units per second. Requests beyond them are throttled, and
   * not billed.
   */
  maxReadUnits: wholeNumber({ min: 1 }).default(12_000),
  maxWriteUnits: wholeNumber({ min: 1 }).default(40_000),
  /**
   * Write units per second that a new table supports from its first day; AWS charges for this once. Without this
   * setting, a new table starts with 4,000 write units per second.
   */
  warmWriteUnits: wholeNumber({ min: 4_000, max: 40_000 }).optional(),
  /**
   * Number of output tokens that the first step of a hold covers. A hold is the money reserved for a request; it grows
   * in steps while the answer is streamed.
   */
  outputStepTokens: wholeNumber({ min: 1 }).default(4_096),
  /**
   * Models and inference profiles of Amazon Bedrock that inference functions may invoke with their own role: ARNs, with
   * `*` as a wildcard.
   */
  bedrockModels: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((arn) => arn.trim() || []))
    .pipe(z.array(z.string().regex(/^arn:aws[a-z-]*:bedrock:[^,\s]+$/, 'must be ARNs of Amazon Bedrock'))),
  /** Environment variables that the catalog uses, for example URLs. Not for credentials. */
  variables: jsonMap(
    // Lambda requires at least two characters: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html.
    z.string().regex(/^[A-Z][A-Z0-9_]+$/),
    z.string().min(1),
    '{"AZURE_OPENAI_BASE_URL": "https://acme.openai.azure.com/openai/v1"}',
  ).default({}),
  /**
   * Whether streamed messages also have a function URL. The URL costs less than the REST API, but has no throttling and
   * no WAF.
   */
  functionUrl: trueOrFalse().default(true),
  /**
   * `functions`: no server. `web`: also a server for all routes except management routes, as a Lambda Web Function.
   */
  streamRuntime: z.enum(['functions', 'web'], { error: 'must be functions or web' }).default('functions'),
  /** Origins that CORS allows to call the gateway, comma-separated; `*` for all. */
  corsOrigins: z
    .string()
    .regex(
      /^(?:\*|https?:\/\/[^\s,/]+(?:,\s*https?:\/\/[^\s,/]+)*)?$/,
      'must be origins like https://app.example.org, or *',
    )
    .default(''),
  /** Days for which new objects of the books bucket are locked (governance mode); 0 for no default lock. */
  booksLockDays: wholeNumber({ min: 0, max: 36_500 }).default(400),
  /**
   * Principals that may assume the role that can read the books: ARNs of roles, users, or an account (`…:root` means
   * every principal that the account permits). By default the role is not created.
   */
  reviewers: z
    .union([z.array(z.string()), z.string().transform((text) => text.split(',').flatMap((arn) => arn.trim() || []))])
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^arn:aws[a-z-]*:iam::\d{12}:(?:root|(?:role|user)\/[\w+=.@/-]+)$/,
            'must be ARNs of roles, users or accounts',
          ),
      ),
    )
    .default([]),
  /** Maximum number of gigabytes that one query over the books may read; Athena cancels queries that exceed it. */
  maxQueryGigabytes: someNumber({ min: 0.01, max: 1_000_000 }).default(500),
  /** URL of a timestamp authority (RFC 3161) for the list of each day's sealed statements. */
  timestampAuthority: z.url({ protocol: /^https?$/, error: 'must be a URL like https://tsa.example.org' }).optional(),
  /**
   * Whether workers reserve concurrency, so that streams cannot use up the concurrency that settlements need. They
   * reserve the concurrency of their queues, and two executions per schedule. By default they do so if `concurrency` is
   * large enough.
   */
  reserveWorkers: trueOrFalse().optional(),
  /**
   * Whether CloudFormation refuses to delete the data and API stacks. `npm run deploy:first` sets it to false, so that
   * a failed first deployment can be repeated.
   */
  terminationProtection: trueOrFalse().default(true),
  /**
   * Minutes for which new code of inference functions and some workers gets only a tenth of the traffic; 0 for all
   * traffic at once.
   */
  canaryMinutes: someNumber({ min: 0 })
    .pipe(z.literal(canaryMinutes, { error: `must be one of ${canaryMinutes.join(', ')}` }))
    .default(5),
  /**
   * Number of concurrent executions that the account may have in the region. An alarm is raised at four fifths of this
   * number; if absent, there is no alarm.
   */
  concurrency: wholeNumber({ min: 10, max: 1_000_000 }).optional(),
  /** Custom domain name of the API. `certificateArn` is its ACM certificate. */
  domain: z
    .string()
    .regex(/^(?=.{4,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/, 'must be a name like api.example.org')
    .optional(),
  certificateArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in ACM')
    .optional(),
  /** Requests per key in five minutes beyond which AWS WAF blocks further requests; by default, there is no WAF. */
  requestsPerKey: wholeNumber({ min: 10, max: 2_000_000_000 }).optional(),
  /** Tags of all resources that support tags, for cost allocation. */
  tags: jsonMap(z.string().min(1).max(128), z.string().max(256), '{"team": "platform"}').default({}),
  alarmEmail: z.email('must be an e-mail address').optional(),
});

/**
 * Maximum size of `variables` and `corsOrigins`, which functions get in their environment. Lambda allows 4 KB, and the
 * gateway's own variables need a part of it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_ENVIRONMENT_BYTES = 2_500;

/** AWS allows 50 tags for a resource, and the CDK adds one to a bucket. */
const MAX_TAGS = 49;
/**
 * Names and values of tags that IAM accepts, as one of the strictest services; a Web Function allows only ASCII.
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_Tag.html
 */
const tagTexts = { functions: /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/iu, web: /^(?!aws:)[\w .:/=+\-@]*$/i };

/** Returns whether AWS accepts the tags for every resource. In IAM, names that differ only in case are equal. */
function areTags({ tags, streamRuntime }: Pick<z.infer<typeof settingsSchema>, 'tags' | 'streamRuntime'>): boolean {
  const names = Object.keys(tags).map((name) => name.toLowerCase());
  return (
    new Set(names).size === names.length &&
    names.length <= MAX_TAGS &&
    Object.entries(tags)
      .flat()
      .every((text) => tagTexts[streamRuntime].test(text))
  );
}

const configSchema = settingsSchema.superRefine((settings, context) => {
  const { domain, certificateArn, requestsPerKey, functionUrl, streamRuntime } = settings;
  const report = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (domain !== undefined && certificateArn === undefined) {
    report(
      'domain',
      'requires gateway:certificateArn: a certificate in ACM for this name, in the region of the deployment',
    );
  }
  if (certificateArn !== undefined && domain === undefined) report('certificateArn', 'requires gateway:domain');
  if (requestsPerKey !== undefined && functionUrl) {
    report('requestsPerKey', 'requires gateway:functionUrl to be false, because a function URL cannot have a firewall');
  }
  if (requestsPerKey !== undefined && streamRuntime === 'web') {
    report(
      'requestsPerKey',
      'requires gateway:streamRuntime to be functions, because a Web Function cannot have a firewall',
    );
  }
  const bytes = Buffer.byteLength(Object.entries(settings.variables).flat().join('') + settings.corsOrigins);
  if (bytes > MAX_ENVIRONMENT_BYTES) {
    report(
      'variables',
      `must have at most ${MAX_ENVIRONMENT_BYTES} bytes, with gateway:corsOrigins, because Lambda limits the environment of a function; there are ${bytes}`,
    );
  }
  if (!areTags(settings)) {
    report(
      'tags',
      `must be at most ${MAX_TAGS} tags of letters (with a Web Function: A to Z), digits, spaces and _ . : / = + - @, without "aws:" at the start, and with names that differ in more than case`,
    );
  }
  const objection = objectionToReserving(settings);
  if (objection !== undefined) report('reserveWorkers', objection);
});

export type GatewayConfig = z.infer<typeof configSchema>;

export const settingNames = Object.keys(settingsSchema.shape) as (keyof GatewayConfig)[];

const CONTEXT_PREFIX = 'gateway:';

/**
 * Reads `gateway:<name>` from the CDK context.
 * @param keys all keys of the context, to find misspelled settings
 * @throws {StartFailure} if a setting is unknown, empty or invalid
 */
export function readConfig(contextOf: (key: string) => unknown, keys: readonly string[] = []): GatewayConfig {
  const given = settingNames.flatMap((name): [string, unknown][] => {
    const value = contextOf(`${CONTEXT_PREFIX}${name}`);
    return value === undefined ? [] : [[name, value]];
  });
  const empty = given.filter(([, value]) => isEmpty(value)).map(([name]) => name);
  const faults = [
    ...keys.filter(isUnknownSetting).map(unknownSetting),
    ...empty.map((name) => faultOf(name, 'is empty; remove the setting to use its default')),
  ];
  const parsed = configSchema.safeParse(Object.fromEntries(given));
  for (const { path, message } of parsed.error?.issues ?? []) {
    if (!empty.includes(String(path[0]))) faults.push(faultOf(path.join('.'), message));
  }
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new StartFailure(faults.join('\n'));
}

/** Returns whether a setting has no value. An unset shell variable produces an empty text. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function faultOf(name: string, message: string): string {
  return `The context value ${CONTEXT_PREFIX}${name} is invalid: ${message}`;
}

function isUnknownSetting(key: string): boolean {
  return key.startsWith(CONTEXT_PREFIX) && !settingNames.some((name) => key === `${CONTEXT_PREFIX}${name}`);
}

/** Maximum edit distance at which the error message suggests a similar setting. */
const MAX_MISTAKES = 3;

function unknownSetting(key: string): string {
  const wanted = key.slice(CONTEXT_PREFIX.length).toLowerCase();
  const nearest = settingNames.find((name) => name.toLowerCase() === wanted) ?? closest(wanted, settingNames);
  const isNear = distance(wanted, nearest.toLowerCase()) <= MAX_MISTAKES;
  const hint = isNear ? `Did you mean ${CONTEXT_PREFIX}${nearest}?` : `The settings are ${settingNames.join(', ')}.`;
  return `${key} is not a setting of the gateway. ${hint}`;
}
