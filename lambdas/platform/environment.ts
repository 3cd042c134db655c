/** Defines the names of the environment variables, and reads them. No other file in lambdas/ reads process.env. */

import type { QueueName } from '../route.ts';

export const variables = {
  tableName: 'TABLE_NAME',
  bucketName: 'BUCKET_NAME',
  /** Bucket to which DynamoDB exports the table, and the ARN of the table for the export. */
  booksBucket: 'BOOKS_BUCKET_NAME',
  tableArn: 'TABLE_ARN',
  /**
   * ARN of the KMS key that signs the sealed days of the books, and the URL of an authority that signs timestamps (RFC
   * 3161), if the operator uses one.
   */
  sealingKey: 'SEALING_KEY_ARN',
  timestampAuthority: 'TIMESTAMP_AUTHORITY_URL',
  /** Directory and key file that replace the bucket and the KMS key on a laptop. */
  booksDirectory: 'GATEWAY_BOOKS_DIRECTORY',
  sealingKeyFile: 'GATEWAY_SEALING_KEY_FILE',
  /** ARN of the SNS topic through which e-mails are sent. On a laptop, e-mails are files in a directory instead. */
  mailTopic: 'MAIL_TOPIC_ARN',
  mailDirectory: 'GATEWAY_MAIL_DIRECTORY',
  pepperSecret: 'PEPPER_SECRET_ARN',
  providerKeysSecret: 'PROVIDER_KEYS_SECRET_ARN',
  /** CloudWatch namespace of the gateway's metrics; unset if nothing reads metrics. */
  metricsNamespace: 'METRICS_NAMESPACE',
  /** Number of output tokens that the first step of a hold (the money reserved for a request) covers. */
  outputStepTokens: 'OUTPUT_STEP_TOKENS',
  /** Maximum time in ms, from its arrival, for which a request waits to place its first hold. */
  holdPatienceMs: 'HOLD_PATIENCE_MS',
  /**
   * Time in ms without output after which the gateway begins an unstreamed answer with white space, so that connections
   * stay open. From then on, the HTTP status of the answer cannot change.
   */
  wholeAnswerSilenceMs: 'WHOLE_ANSWER_SILENCE_MS',
  /** Time in ms for which the account and limits of a key are cached. */
  callerCacheMs: 'CALLER_CACHE_MS',
  /** Directory with the catalog that replaces the bundled catalog. */
  catalogDirectory: 'GATEWAY_CATALOG',
  /** Bucket with the catalogs that the operator publishes; `publicationsDirectory` replaces it on a laptop. */
  catalogBucket: 'CATALOG_BUCKET_NAME',
  publicationsDirectory: 'GATEWAY_PUBLICATIONS_DIRECTORY',
  /** Origins of websites whose pages may call the gateway (CORS), separated by commas; `*` for all. */
  corsOrigins: 'CORS_ORIGINS',
  /** URLs of the sandbox provider (a local imitation of providers), one for each provider API. Local runs only. */
  sandboxUrl: 'GATEWAY_SANDBOX_URL',
  sandboxChatUrl: 'GATEWAY_SANDBOX_CHAT_URL',
  sandboxGeminiUrl: 'GATEWAY_SANDBOX_GEMINI_URL',
  sandboxResponsesUrl: 'GATEWAY_SANDBOX_RESPONSES_URL',
  sandboxVideoUrl: 'GATEWAY_SANDBOX_VIDEO_URL',
  sandboxBedrockUrl: 'GATEWAY_SANDBOX_BEDROCK_URL',
  sandboxBedrockKey: 'GATEWAY_SANDBOX_BEDROCK_KEY',
  /** URL of the sandbox's web search. Local runs only. */
  sandboxSearchUrl: 'GATEWAY_SANDBOX_SEARCH_URL',
  /** URLs of emulators of AWS services; unset on AWS. */
  dynamodbEndpoint: 'DYNAMODB_ENDPOINT',
  sqsEndpoint: 'SQS_ENDPOINT',
  /** Secret for the signatures of requests to emulators. */
  localSecret: 'GATEWAY_EMULATOR_SECRET',
  s3Endpoint: 'S3_ENDPOINT',
  /** JSON file with the deployment's secrets, which replaces Secrets Manager. Local runs only. */
  secretsFile: 'GATEWAY_SECRETS_FILE',
  /** `1` on a person's own machine. Without it, the gateway behaves as in production. */
  local: 'GATEWAY_LOCAL',
  /** Identifies one run of a local gateway, whose holds a later run then recognizes. Local runs only. */
  bootId: 'GATEWAY_BOOT_ID',
  /** Milliseconds that are added to the system clock. Local runs only. */
  clockOffsetMs: 'GATEWAY_CLOCK_OFFSET_MS',
} as const;

export function queueVariable(queue: QueueName): string {
  return `${upperCase(queue)}_QUEUE_URL`;
}

export function deadLettersVariable(queue: QueueName): string {
  return `${upperCase(queue)}_DEAD_LETTERS_URL`;
}

function upperCase(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

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

/** Credentials and region of a Lambda function's role. The names are defined by AWS. */
export const awsVariables = {
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
  region: 'AWS_REGION',
} as const;

/** Settings of the URLs of AWS services. The names are defined by AWS. */
export const endpointVariables = {
  url: 'AWS_ENDPOINT_URL',
  ignore: 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  fips: 'AWS_USE_FIPS_ENDPOINT',
  dualstack: 'AWS_USE_DUALSTACK_ENDPOINT',
} as const;

/** Settings of the gateway as a server process that handles many requests at a time. */
export const serverVariables = {
  webFunctionEndpoint: 'AWS_LAMBDA_HTTP_ENDPOINT',
  /** Address and port on which a container listens; by default 0.0.0.0 and 8080. */
  host: 'GATEWAY_HOST',
  port: 'GATEWAY_PORT',
  domain: 'GATEWAY_DOMAIN',
  /**
   * Number of the operator's own proxies (for example a load balancer) between clients and a container. The default is
   * 0.
   */
  proxies: 'GATEWAY_PROXIES',
  /** `off` if each request reserves its own money in the table; otherwise requests of a process share leases. */
  leases: 'GATEWAY_LEASES',
  /**
   * Maximum number of requests that a process handles at a time. Further requests, except health checks, get status
   * 529.
   */
  maxRequests: 'GATEWAY_MAX_REQUESTS',
  /** Maximum number of seconds from SIGTERM until a container's process ends. */
  graceSeconds: 'GATEWAY_GRACE_SECONDS',
} as const;

/** URL at which a container gets its credentials. The names are defined by Amazon ECS and EKS. */
export const containerVariables = {
  relativeUri: 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  fullUri: 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
} as const;

/**
 * Returns whether this is a person's own machine. Only there, the gateway may connect to loopback addresses, shift its
 * clock, and read secrets from a file.
 */
export function isOnOwnMachine(): boolean {
  return process.env[variables.local] === '1';
}
