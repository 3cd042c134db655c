import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { freePort } from '../../../lib/shared/free-port.ts';
import { StartFailure } from '../../../lib/shared/failure.ts';

/** MiniStack, an emulator of AWS, on this machine. */
export interface MiniStack {
  endpoint: string;
  /** Environment of programs that call the emulator: its address, the root's credentials, and its certificate. */
  environment: Record<string, string>;
  /** The end of the emulator's log. */
  lastWords: () => string;
  stop: () => Promise<void>;
}

export const EMULATED_REGION = 'us-east-1';
export const EMULATED_ACCOUNT = '000000000000';
/** Earlier releases read these endpoints from one variable per service. */
const OWN_ENDPOINTS = ['DYNAMODB', 'SQS', 'SECRETS_MANAGER', 'KMS', 'S3'];
const READY_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 200;
const ENDS_WITHIN_MS = 5_000;
const MAX_LOG = 1_000_000;
const MAX_LAST_WORDS = 2_000;

/** Returns the path of the emulator; undefined if it is not installed. */
export function findMiniStack(program: string | undefined, path = process.env['PATH'] ?? ''): string | undefined {
  const candidates = program === undefined ? path.split(delimiter).map((place) => join(place, 'ministack')) : [program];
  return candidates.find((candidate) => existsSync(candidate));
}

/**
 * Starts MiniStack with all its state in one directory. It enforces IAM, so functions only have the permissions of
 * their roles, and serves TLS, because policies refuse plain HTTP.
 * @param variables additional variables of all functions, such as the address of a provider
 * @throws {StartFailure} if the emulator does not start
 */
export async function startMiniStack(
  program: string,
  directory: string,
  variables: Record<string, string>,
): Promise<MiniStack> {
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const certificate = join(directory, 'ministack-tls', 'server.crt');
  mkdirSync(directory, { recursive: true });
  const child = spawn(program, [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The emulator's functions are processes in the same group.
    detached: true,
    env: {
      ...process.env,
      ...credentials,
      ...variables,
      ...Object.fromEntries(OWN_ENDPOINTS.map((name) => [`AWS_ENDPOINT_URL_${name}`, endpoint])),
      TMPDIR: directory,
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
      NODE_EXTRA_CA_CERTS: certificate,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      AUTH: 'true',
      USE_SSL: '1',
      IOT_MTLS_ENABLED: '0',
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-MAX_LOG)));
  }
  const end = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // The group has already ended.
    }
  };
  const endAtExit = () => end('SIGKILL');
  // This handler must run before the handler that removes the directory.
  process.prependOnceListener('exit', endAtExit);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const emulator: MiniStack = {
    endpoint,
    environment: {
      ...credentials,
      AWS_ENDPOINT_URL: endpoint,
      NODE_EXTRA_CA_CERTS: certificate,
      AWS_CA_BUNDLE: certificate,
    },
    lastWords: () => log.slice(-MAX_LAST_WORDS),
    async stop() {
      end('SIGTERM');
      await Promise.race([ended, sleep(ENDS_WITHIN_MS, undefined, { ref: false })]);
      end('SIGKILL');
      await ended;
      process.off('exit', endAtExit);
    },
  };
  const isReady = await Promise.race([readyAt(endpoint, certificate), ended.then(() => false)]);
  if (isReady) return emulator;
  await emulator.stop();
  throw new StartFailure(`MiniStack did not start. The end of its log: ${emulator.lastWords()}`);
}

const credentials = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_SESSION_TOKEN: '',
  AWS_REGION: EMULATED_REGION,
  AWS_DEFAULT_REGION: EMULATED_REGION,
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};

async function readyAt(endpoint: string, certificate: string): Promise<boolean> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    await sleep(LOOK_EVERY_MS);
    if (!existsSync(certificate)) continue;
    // This process trusts the certificate from here on. Programs that it starts get the certificate through a variable.
    tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), readFileSync(certificate, 'utf8')]);
    const isReady = await fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return true;
  }
  return false;
}
