/** The only place that reads process.env. The CDK stacks, the local runtime and the functions share these names. */

import type { QueueName } from '../route.ts';

export const variables = {
  tableName: 'TABLE_NAME',
  bucketName: 'BUCKET_NAME',
  /** The bucket for exports of the table, and the table's name for them; unset on one machine. */
  booksBucket: 'BOOKS_BUCKET_NAME',
  tableArn: 'TABLE_ARN',
  /** The key in KMS that signs sealed days, and the timestamp authority, if any. */
  sealingKey: 'SEALING_KEY_ARN',
  timestampAuthority: 'TIMESTAMP_AUTHORITY_URL',
  /** A directory and a key file instead of these; local runs only. */
  booksDirectory: 'GATEWAY_BOOKS_DIRECTORY',
  sealingKeyFile: 'GATEWAY_SEALING_KEY_FILE',
  pepperSecret: 'PEPPER_SECRET_ARN',
  providerKeysSecret: 'PROVIDER_KEYS_SECRET_ARN',
  /** The namespace of the metrics that functions write; unset if nothing reads them. */
  metricsNamespace: 'METRICS_NAMESPACE',
  /** Largest number of output tokens that one step of a hold covers. */
  outputStepTokens: 'OUTPUT_STEP_TOKENS',
  /** How long a request waits for the money that other requests hold, in milliseconds. */
  holdPatienceMs: 'HOLD_PATIENCE_MS',
  /** Silence in milliseconds after which an unstreamed answer starts with whitespace, which fixes its status. */
  wholeAnswerSilenceMs: 'WHOLE_ANSWER_SILENCE_MS',
  /** How long a caller stays cached, in milliseconds; for tests and laptops. */
  callerCacheMs: 'CALLER_CACHE_MS',
  /** A directory that replaces the catalog shipped with the code. */
  catalogDirectory: 'GATEWAY_CATALOG',
  /** The bucket for catalogs published while the gateway runs; on one machine a directory instead. */
  catalogBucket: 'CATALOG_BUCKET_NAME',
  publicationsDirectory: 'GATEWAY_PUBLICATIONS_DIRECTORY',
  /** Origins whose pages may call the gateway, separated by commas; `*` for all. */
  corsOrigins: 'CORS_ORIGINS',
  /** Addresses of the sandbox models for each wire, as named in the catalog's providers.json; local runs only. */
  sandboxUrl: 'GATEWAY_SANDBOX_URL',
  sandboxChatUrl: 'GATEWAY_SANDBOX_CHAT_URL',
  sandboxGeminiUrl: 'GATEWAY_SANDBOX_GEMINI_URL',
  sandboxResponsesUrl: 'GATEWAY_SANDBOX_RESPONSES_URL',
  sandboxVideoUrl: 'GATEWAY_SANDBOX_VIDEO_URL',
  sandboxBedrockUrl: 'GATEWAY_SANDBOX_BEDROCK_URL',
  /** The access key that the sandbox expects there. */
  sandboxBedrockKey: 'GATEWAY_SANDBOX_BEDROCK_KEY',
  /** Address of the sandbox's search, as named in the catalog's search.json; local runs only. */
  sandboxSearchUrl: 'GATEWAY_SANDBOX_SEARCH_URL',
  /** Endpoints of emulators; unset on AWS. */
  dynamodbEndpoint: 'DYNAMODB_ENDPOINT',
  sqsEndpoint: 'SQS_ENDPOINT',
  /** Signs requests to emulators. */
  localSecret: 'GATEWAY_EMULATOR_SECRET',
  s3Endpoint: 'S3_ENDPOINT',
  /** A JSON file with the deployment's secrets, instead of Secrets Manager; local runs only. */
  secretsFile: 'GATEWAY_SECRETS_FILE',
  /**
   * `1`: a person's own machine. Set only by `npm start` and the operator's commands; if absent, this is production.
   */
  local: 'GATEWAY_LOCAL',
  /** Identifies one run of a local gateway, so that the holds of a dead one can be recognized; local runs only. */
  bootId: 'GATEWAY_BOOT_ID',
  /** Milliseconds added to the system clock; local runs only. */
  clockOffsetMs: 'GATEWAY_CLOCK_OFFSET_MS',
} as const;

/** The variable with the URL of a queue. */
export function queueVariable(queue: QueueName): string {
  return `${upperCase(queue)}_QUEUE_URL`;
}

/** The variable with the URL of a queue's dead-letter queue. */
export function deadLettersVariable(queue: QueueName): string {
  return `${upperCase(queue)}_DEAD_LETTERS_URL`;
}

function upperCase(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** A variable of the environment is missing or wrong. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}

export function requireVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new EnvironmentError(`The environment variable ${name} is not set`);
  return value;
}

export function optionalVariable(name: string): string | undefined {
  return process.env[name] || undefined;
}

export function positiveIntegerVariable(name: string, fallback: number): number {
  const text = optionalVariable(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0)
    throw new EnvironmentError(`${name} must be a whole number above 0, not "${text}"`);
  return value;
}

/** The credentials and region of a function's role, by the names of Lambda and AWS' own tools. */
export const awsVariables = {
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
  region: 'AWS_REGION',
} as const;

/** Addresses of AWS services, by the names of all AWS tools. `AWS_ENDPOINT_URL_<SERVICE>` is for one service. */
export const endpointVariables = {
  url: 'AWS_ENDPOINT_URL',
  ignore: 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  fips: 'AWS_USE_FIPS_ENDPOINT',
  dualstack: 'AWS_USE_DUALSTACK_ENDPOINT',
} as const;

/** Settings of a server that serves many requests. The first is Lambda's own, for a Web Function. */
export const serverVariables = {
  webFunctionEndpoint: 'AWS_LAMBDA_HTTP_ENDPOINT',
  /** In a container: the address to listen on, by default 0.0.0.0 and 8080. */
  host: 'GATEWAY_HOST',
  port: 'GATEWAY_PORT',
  /** The gateway's own name. */
  domain: 'GATEWAY_DOMAIN',
  /**
   * In a container: number of the operator's own proxies, such as a load balancer, between a client and this process;
   * 0 by default.
   */
  proxies: 'GATEWAY_PROXIES',
  /** `off`: each request has a hold of its own, as in a function. */
  leases: 'GATEWAY_LEASES',
  /** Requests that one process serves at once; further ones get 529. */
  maxRequests: 'GATEWAY_MAX_REQUESTS',
  /** In a container: seconds from SIGTERM to the end of the process. */
  graceSeconds: 'GATEWAY_GRACE_SECONDS',
} as const;

/** Address of a container's credentials, by the names of Amazon ECS and EKS. */
export const containerVariables = {
  relativeUri: 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  fullUri: 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
} as const;

/**
 * Whether this is a person's own machine. Only there may the gateway connect to loopback addresses, shift clocks, and
 * read secrets from a file. Only `npm start` and the operator's commands set the variable, so any other place is
 * production.
 */
export function isOnOwnMachine(): boolean {
  return process.env[variables.local] === '1';
}
