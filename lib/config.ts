import * as z from 'zod';
import { objectionToReserving } from './aws/reserved-concurrency.ts';

/** For so many minutes new code may have a tenth of the work, as CodeDeploy knows them; 0: it has all of it at once. */
const canaryMinutes = [0, 5, 10, 15, 30] as const;
export type CanaryMinutes = (typeof canaryMinutes)[number];

/** What a platform team may set in cdk.json or with -c; everything has a working default. */
const settingsSchema = z.strictObject({
  /** Prefix of the stacks' names: one deployment per stage. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/)
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
  rateLimit: z.coerce.number().positive().default(1_000),
  burstLimit: z.coerce.number().int().positive().default(2_000),
  /**
   * Cost fuses of the table: requests beyond them are throttled, not billed. Writes fit the rate limit: 1,000 requests a
   * second at 40 units each, between a short answer under one limit (16) and one of 5,000 tokens (48).
   */
  maxReadUnits: z.coerce.number().int().positive().default(12_000),
  maxWriteUnits: z.coerce.number().int().positive().default(40_000),
  /**
   * Write units a second that the table takes from its first day on; charged once. Without it a new table takes 4,000, which are
   * 80 to 250 requests a second, and doubles that in half an hour at most.
   */
  warmWriteUnits: z.coerce.number().int().min(4_000).max(40_000).optional(),
  /** Output tokens that one step of a hold covers. */
  outputStepTokens: z.coerce.number().int().positive().default(4_096),
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
  variables: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string().min(1)).default({}),
  /**
   * Whether streamed messages have a function URL beside the REST API: cheaper, and without its throttling and WAF. Some
   * organisations forbid URLs that anybody may call.
   */
  functionUrl: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
      error: 'must be true or false',
    })
    .default(true),
  /**
   * Where clients of models are answered besides the API: `functions` has nothing more than the function URL, and `web` a server as a Lambda
   * Web Function, which answers many requests in one process.
   */
  streamRuntime: z.enum(['functions', 'web']).default('functions'),
  /** Origins whose pages may call the gateway, with commas between them; `*` for all, by default none. */
  corsOrigins: z
    .string()
    .regex(
      /^(?:\*|https?:\/\/[^\s,/]+(?:,\s*https?:\/\/[^\s,/]+)*)?$/,
      'must be origins like https://app.example.org, or *',
    )
    .default(''),
  /** Days for which exports of the table cannot be changed or deleted; 0 for no lock by default. */
  booksLockDays: z.coerce.number().int().min(0).max(36_500).default(400),
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
  maxQueryGigabytes: z.coerce.number().min(0.01).max(1_000_000).default(500),
  /** Who timestamps the list of each day's sealed statements (RFC 3161), by its URL; by default nobody. */
  timestampAuthority: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * Whether workers keep concurrency for themselves, so that streams cannot take it from settlements: as much as their queues use, and two
   * for each schedule. By default they do if `concurrency` says that the account has enough.
   */
  reserveWorkers: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
      error: 'must be true or false',
    })
    .optional(),
  /**
   * Whether CloudFormation refuses to delete the stacks of data and API. A stack that is protected before it was ever complete cannot be
   * replaced by the next try, so the first deployment sets this to false.
   */
  terminationProtection: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
      error: 'must be true or false',
    })
    .default(true),
  /** For so many minutes of a deployment the new code of functions that handle money has a tenth of the work; 0: all of it at once. */
  canaryMinutes: z.coerce
    .number()
    .pipe(z.literal(canaryMinutes, { error: `must be one of ${canaryMinutes.join(', ')}` }))
    .default(5),
  /** Executions at once that AWS grants the account in the region; an alarm is raised at four fifths of them. Not known by default. */
  concurrency: z.coerce.number().int().min(10).max(1_000_000).optional(),
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
  requestsPerKey: z.coerce.number().int().min(10).max(2_000_000_000).optional(),
  /** Tags of everything that can have them, for who shares out costs. */
  tags: z.record(z.string().min(1).max(128), z.string().max(256)).default({}),
  /** Address that alarms are mailed to. */
  alarmEmail: z.email().optional(),
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

/** Reads `gateway:<name>` from the context. @throws {Error} naming the value that is wrong. */
export function readConfig(contextOf: (key: string) => unknown): GatewayConfig {
  const given = Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = contextOf(`${CONTEXT_PREFIX}${name}`);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new Error(`The context value ${CONTEXT_PREFIX}${issue.path.join('.')} is wrong: ${issue.message}`);
}
