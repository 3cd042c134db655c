/** Reads process.env; no other file does. The CDK stacks, the local gateway and the functions share these names. */

import type { QueueName } from '../route.ts';

export const variables = {
  tableName: 'TABLE_NAME',
  bucketName: 'BUCKET_NAME',
  /** Bucket for exports of the table, and the ARN that names the table in exports. Both are unset on a laptop. */
  booksBucket: 'BOOKS_BUCKET_NAME',
  tableArn: 'TABLE_ARN',
  /** Key in KMS that signs sealed days, and the URL of a timestamp authority, if the operator uses one. */
  sealingKey: 'SEALING_KEY_ARN',
  timestampAuthority: 'TIMESTAMP_AUTHORITY_URL',
  /** Directory and key file that replace bucket and KMS key in local runs. */
  booksDirectory: 'GATEWAY_BOOKS_DIRECTORY',
  sealingKeyFile: 'GATEWAY_SEALING_KEY_FILE',
  pepperSecret: 'PEPPER_SECRET_ARN',
  providerKeysSecret: 'PROVIDER_KEYS_SECRET_ARN',
  /** Namespace of the metrics that functions write; unset if nothing reads metrics. */
  metricsNamespace: 'METRICS_NAMESPACE',
  /** Maximum number of output tokens that one step of a hold covers. */
  outputStepTokens: 'OUTPUT_STEP_TOKENS',
  /** Maximum time in ms that a request waits for money that other requests hold. */
  holdPatienceMs: 'HOLD_PATIENCE_MS',
  /**
   * Time in ms without output after which the gateway begins an unstreamed answer with white space, to keep connections
   * open. The HTTP status is then fixed.
   */
  wholeAnswerSilenceMs: 'WHOLE_ANSWER_SILENCE_MS',
  /** Time in ms for which a caller is cached. Only tests and laptops set it. */
  callerCacheMs: 'CALLER_CACHE_MS',
  /** Directory of a catalog that replaces the one shipped with the code. */
  catalogDirectory: 'GATEWAY_CATALOG',
  /** Bucket for catalogs published while the gateway runs; publicationsDirectory replaces it on a laptop. */
  catalogBucket: 'CATALOG_BUCKET_NAME',
  publicationsDirectory: 'GATEWAY_PUBLICATIONS_DIRECTORY',
  /** Web origins whose pages may call the gateway, separated by commas; `*` for all. */
  corsOrigins: 'CORS_ORIGINS',
  /** URLs of the sandbox provider, one for each wire, as the catalog's providers.json names them. Local runs only. */
  sandboxUrl: 'GATEWAY_SANDBOX_URL',
  sandboxChatUrl: 'GATEWAY_SANDBOX_CHAT_URL',
  sandboxGeminiUrl: 'GATEWAY_SANDBOX_GEMINI_URL',
  sandboxResponsesUrl: 'GATEWAY_SANDBOX_RESPONSES_URL',
  sandboxVideoUrl: 'GATEWAY_SANDBOX_VIDEO_URL',
  sandboxBedrockUrl: 'GATEWAY_SANDBOX_BEDROCK_URL',
  /** Access key that the sandbox expects at its Bedrock URL. */
  sandboxBedrockKey: 'GATEWAY_SANDBOX_BEDROCK_KEY',
  /** URL of the sandbox's search, as the catalog's search.json names it. Local runs only. */
  sandboxSearchUrl: 'GATEWAY_SANDBOX_SEARCH_URL',
  /** URLs of emulators; unset on AWS. */
  dynamodbEndpoint: 'DYNAMODB_ENDPOINT',
  sqsEndpoint: 'SQS_ENDPOINT',
  /** Secret that signs requests to emulators. */
  localSecret: 'GATEWAY_EMULATOR_SECRET',
  s3Endpoint: 'S3_ENDPOINT',
  /** JSON file with the deployment's secrets, which replaces Secrets Manager. Local runs only. */
  secretsFile: 'GATEWAY_SECRETS_FILE',
  /**
   * `1` on a person's own machine. Only `npm start` and the operator's commands set it. Without it, the process counts
   * as production.
   */
  local: 'GATEWAY_LOCAL',
  /** Identifies one run of a local gateway. The holds of a run that died can be recognized by it. Local runs only. */
  bootId: 'GATEWAY_BOOT_ID',
  /** Milliseconds that are added to the system clock. Local runs only. */
  clockOffsetMs: 'GATEWAY_CLOCK_OFFSET_MS',
} as const;

/** Returns the name of the variable with a queue's URL. */
export function queueVariable(queue: QueueName): string {
  return `${upperCase(queue)}_QUEUE_URL`;
}

/** Returns the name of the variable with the URL of a queue's dead-letter queue. */
export function deadLettersVariable(queue: QueueName): string {
  return `${upperCase(queue)}_DEAD_LETTERS_URL`;
}

function upperCase(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** Thrown if an environment variable is missing or has an invalid value. */
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

/** Credentials and region of a function's role. Lambda and AWS's tools define these names. */
export const awsVariables = {
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
  region: 'AWS_REGION',
} as const;

/**
 * Settings of the URLs of AWS services. All AWS tools define these names. `AWS_ENDPOINT_URL_<SERVICE>` is for one
 * service.
 */
export const endpointVariables = {
  url: 'AWS_ENDPOINT_URL',
  ignore: 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  fips: 'AWS_USE_FIPS_ENDPOINT',
  dualstack: 'AWS_USE_DUALSTACK_ENDPOINT',
} as const;

/**
 * Settings of a server that serves many requests concurrently. Lambda itself sets `webFunctionEndpoint`, for a Web
 * Function.
 */
export const serverVariables = {
  webFunctionEndpoint: 'AWS_LAMBDA_HTTP_ENDPOINT',
  /** Address and port on which a container listens; by default 0.0.0.0 and 8080. */
  host: 'GATEWAY_HOST',
  port: 'GATEWAY_PORT',
  /** Host name of the gateway. */
  domain: 'GATEWAY_DOMAIN',
  /** Number of the operator's own proxies, such as a load balancer, between a client and a container; 0 by default. */
  proxies: 'GATEWAY_PROXIES',
  /**
   * `off`: each request has a separate hold, as in a function. Otherwise, requests share leases (money held in
   * advance).
   */
  leases: 'GATEWAY_LEASES',
  /** Maximum number of requests that one process serves concurrently. Further requests get 529. */
  maxRequests: 'GATEWAY_MAX_REQUESTS',
  /** Seconds from SIGTERM to the end of a container's process. */
  graceSeconds: 'GATEWAY_GRACE_SECONDS',
} as const;

/** URL of a container's credentials. Amazon ECS and EKS define these names. */
export const containerVariables = {
  relativeUri: 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  fullUri: 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
} as const;

/**
 * Returns whether this is a person's own machine. Only there may the gateway connect to loopback addresses, shift the
 * clock, and read secrets from a file. Only `npm start` and the operator's commands set the variable. So every other
 * place is production.
 */
export function isOnOwnMachine(): boolean {
  return process.env[variables.local] === '1';
}
