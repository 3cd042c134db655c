import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { objectionToReserving } from './reserved-concurrency.ts';
import { jsonMap, someNumber, trueOrFalse, wholeNumber } from './config-values.ts';
import { StartFailure } from '../shared/failure.ts';

/** For so many minutes new code may have a tenth of the work, as CodeDeploy knows them; 0: it has all of it at once. */
const canaryMinutes = [0, 5, 10, 15, 30] as const;
export type CanaryMinutes = (typeof canaryMinutes)[number];

/** What a platform team may set in cdk.json or with -c; everything has a working default. */
const settingsSchema = z.strictObject({
  /** Prefix of the stacks' names: one deployment per stage. */
  stage: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,19}$/,
      'must begin with a small letter, and have at most 20 small letters, digits and hyphens',
    )
    .default('prod'),
  /**
   * A table that is there already, such as one that was restored from a backup: it is used instead of the deployment's own, which stays as it
   * is.
   */
  tableName: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/, 'must be the name of a table')
    .optional(),
  /** A directory that replaces the catalog shipped with the code. */
  catalog: z.string().optional(),
  /** Steady requests per second and burst of the whole API, over all clients. */
  rateLimit: someNumber({ above: 0 }).default(1_000),
  burstLimit: wholeNumber({ min: 1 }).default(2_000),
  /**
   * Cost fuses of the table: requests beyond them are throttled, not billed. Writes fit the rate limit: 1,000 requests a
   * second at 40 units each, between a short answer under one limit (16) and one of 5,000 tokens (48).
   */
  maxReadUnits: wholeNumber({ min: 1 }).default(12_000),
  maxWriteUnits: wholeNumber({ min: 1 }).default(40_000),
  /**
   * Write units a second that the table takes from its first day on; charged once. Without it a new table takes 4,000, which are
   * 80 to 250 requests a second, and doubles that in half an hour at most.
   */
  warmWriteUnits: wholeNumber({ min: 4_000, max: 40_000 }).optional(),
  /** Output tokens that one step of a hold covers. */
  outputStepTokens: wholeNumber({ min: 1 }).default(4_096),
  /**
   * Models and inference profiles of Amazon Bedrock that the functions which spend may invoke with their own role, as
   * ARNs with a comma between them; `*` in an ARN stands for any text. By default none: the credential is an access key.
   */
  bedrockModels: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((arn) => arn.trim() || []))
    .pipe(z.array(z.string().regex(/^arn:aws[a-z-]*:bedrock:[^,\s]+$/, 'must be ARNs of Amazon Bedrock'))),
  /** Values of variables that the catalog names, credentials excepted: addresses of the operator's own, an account's id. */
  variables: jsonMap(
    z.string().regex(/^[A-Z][A-Z0-9_]*$/),
    z.string().min(1),
    '{"AZURE_OPENAI_BASE_URL": "https://acme.openai.azure.com/openai/v1"}',
  ).default({}),
  /**
   * Whether streamed messages have a function URL beside the REST API: cheaper, and without its throttling and WAF. Some
   * organisations forbid URLs that anybody may call.
   */
  functionUrl: trueOrFalse().default(true),
  /**
   * Where clients of models are answered besides the API: `functions` has nothing more than the function URL, and `web` a server as a Lambda
   * Web Function, which answers many requests in one process.
   */
  streamRuntime: z.enum(['functions', 'web'], { error: 'must be functions or web' }).default('functions'),
  /** Origins whose pages may call the gateway, with commas between them; `*` for all, by default none. */
  corsOrigins: z
    .string()
    .regex(
      /^(?:\*|https?:\/\/[^\s,/]+(?:,\s*https?:\/\/[^\s,/]+)*)?$/,
      'must be origins like https://app.example.org, or *',
    )
    .default(''),
  /** Days for which exports of the table cannot be changed or deleted; 0 for no lock by default. */
  booksLockDays: wholeNumber({ min: 0, max: 36_500 }).default(400),
  /**
   * Who may assume the role that reads the books: ARNs of roles and users, or of an account (`…:root`: all to whom it gives that right), as a
   * list or with commas between them. By default nobody, and there is no role.
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
  /** Gigabytes that one query over the books may read; Athena charges by them, and ends a query that reads more. */
  maxQueryGigabytes: someNumber({ min: 0.01, max: 1_000_000 }).default(500),
  /** Who timestamps the list of each day's sealed statements (RFC 3161), by its URL; by default nobody. */
  timestampAuthority: z.url({ protocol: /^https?$/, error: 'must be a URL like https://tsa.example.org' }).optional(),
  /**
   * Whether workers keep concurrency for themselves, so that streams cannot take it from settlements: as much as their queues use, and two
   * for each schedule. By default they do if `concurrency` says that the account has enough.
   */
  reserveWorkers: trueOrFalse().optional(),
  /**
   * Whether CloudFormation refuses to delete the stacks of data and API. A stack that is protected before it was ever complete cannot be
   * replaced by the next try, so the first deployment sets this to false.
   */
  terminationProtection: trueOrFalse().default(true),
  /** For so many minutes of a deployment the new code of functions that handle money has a tenth of the work; 0: all of it at once. */
  canaryMinutes: someNumber({ min: 0 })
    .pipe(z.literal(canaryMinutes, { error: `must be one of ${canaryMinutes.join(', ')}` }))
    .default(5),
  /** Executions at once that AWS grants the account in the region; an alarm is raised at four fifths of them. Not known by default. */
  concurrency: wholeNumber({ min: 10, max: 1_000_000 }).optional(),
  /** A name of the team's own for the API, and the certificate for it (ACM, in the region of the deployment). */
  domain: z
    .string()
    .regex(/^(?=.{4,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/, 'must be a name like api.example.org')
    .optional(),
  certificateArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in ACM')
    .optional(),
  /** Requests that a key may send in five minutes before a firewall (AWS WAF) refuses them; by default there is none. */
  requestsPerKey: wholeNumber({ min: 10, max: 2_000_000_000 }).optional(),
  /** Tags of everything that can have them, for who shares out costs. */
  tags: jsonMap(z.string().min(1).max(128), z.string().max(256), '{"team": "platform"}').default({}),
  /** Address that alarms are mailed to. */
  alarmEmail: z.email('must be an e-mail address').optional(),
});

/** The settings, and which of them only make sense together. */
const configSchema = settingsSchema.superRefine((settings, context) => {
  const { domain, certificateArn, requestsPerKey, functionUrl, streamRuntime } = settings;
  const report = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (domain !== undefined && certificateArn === undefined) {
    report(
      'domain',
      'needs gateway:certificateArn, a certificate in ACM for the name, in the region of the deployment',
    );
  }
  if (certificateArn !== undefined && domain === undefined) report('certificateArn', 'needs gateway:domain');
  if (requestsPerKey !== undefined && functionUrl) {
    report('requestsPerKey', 'needs gateway:functionUrl to be false: a function URL has no firewall before it');
  }
  if (requestsPerKey !== undefined && streamRuntime === 'web') {
    report('requestsPerKey', 'needs gateway:streamRuntime to be functions: a Web Function has no firewall before it');
  }
  const objection = objectionToReserving(settings);
  if (objection !== undefined) report('reserveWorkers', objection);
});

export type GatewayConfig = z.infer<typeof configSchema>;

export const settingNames = Object.keys(settingsSchema.shape) as (keyof GatewayConfig)[];

const CONTEXT_PREFIX = 'gateway:';

/**
 * Reads `gateway:<name>` from the context.
 * @param keys all keys of the context, to find settings that are misspelt
 * @throws {StartFailure} naming each setting that is unknown, empty or wrong, and the values that it takes
 */
export function readConfig(contextOf: (key: string) => unknown, keys: readonly string[] = []): GatewayConfig {
  const given = settingNames.flatMap((name): [string, unknown][] => {
    const value = contextOf(`${CONTEXT_PREFIX}${name}`);
    return value === undefined ? [] : [[name, value]];
  });
  const empty = given.filter(([, value]) => isEmpty(value)).map(([name]) => name);
  const faults = [
    ...keys.filter(isUnknownSetting).map(unknownSetting),
    ...empty.map((name) => faultOf(name, 'is empty; leave the setting out for its default')),
  ];
  const parsed = configSchema.safeParse(Object.fromEntries(given));
  for (const { path, message } of parsed.error?.issues ?? []) {
    if (!empty.includes(String(path[0]))) faults.push(faultOf(path.join('.'), message));
  }
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new StartFailure(faults.join('\n'));
}

/** A variable of a shell that is not set leaves an empty text. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function faultOf(name: string, message: string): string {
  return `The context value ${CONTEXT_PREFIX}${name} is wrong: ${message}`;
}

function isUnknownSetting(key: string): boolean {
  return key.startsWith(CONTEXT_PREFIX) && !settingNames.some((name) => key === `${CONTEXT_PREFIX}${name}`);
}

/** Letters of a name that may be wrong. */
const MAX_MISTAKES = 3;

function unknownSetting(key: string): string {
  const wanted = key.slice(CONTEXT_PREFIX.length).toLowerCase();
  const nearest = settingNames.find((name) => name.toLowerCase() === wanted) ?? closest(wanted, settingNames);
  const isNear = distance(wanted, nearest.toLowerCase()) <= MAX_MISTAKES;
  const hint = isNear ? `Did you mean ${CONTEXT_PREFIX}${nearest}?` : `The settings are ${settingNames.join(', ')}.`;
  return `${key} is not a setting of the gateway. ${hint}`;
}
