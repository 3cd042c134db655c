import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartFailure } from '../failure.ts';
import {
  containerDatabase,
  hasContainerDatabase,
  hasDatabase,
  privateDatabase,
} from '../data-directory/private-files.ts';

export interface DynamodbProgram {
  /** @param directory directory for the records; undefined keeps them in memory */
  command: (port: number, directory: string | undefined) => string[];
  startTimeoutMs: number;
}

export interface Machine {
  /** Returns the path of the packaged dynoxide binary; undefined if there is none. */
  packaged: () => string | undefined;
  runs: (command: string, ...args: string[]) => boolean;
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html */
const CONTAINER_IMAGE = 'amazon/dynamodb-local:3.3.1';
const CONTAINER_PORT = 8_000;
const CONTAINER_DATA = '/data';

const BINARY_START_TIMEOUT_MS = 5_000;
/** Long enough for the first start, which downloads the image. */
const CONTAINER_START_TIMEOUT_MS = 180_000;

const platform = `${process.platform}-${process.arch}`;

const thisMachine: Machine = {
  packaged() {
    try {
      const packageFile = createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`);
      return join(dirname(packageFile), process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
    } catch {
      return undefined;
    }
  },
  runs: (command, ...args) => spawnSync(command, args, { stdio: 'ignore', timeout: 10_000 }).status === 0,
};

/**
 * Returns the first available program: DYNAMODB_BINARY, the packaged dynoxide, a dynoxide on the PATH, Docker. If the
 * directory contains records, only the kind of program that wrote them can be used.
 * @throws {StartFailure} if no program is available, or the file that DYNAMODB_BINARY names does not exist
 */
export function findDynamodb(directory: string | undefined, machine = thisMachine): DynamodbProgram {
  const isOfContainer = directory !== undefined && hasContainerDatabase(directory);
  const isOfBinary = directory !== undefined && !isOfContainer && hasDatabase(directory);
  const binary = isOfContainer ? undefined : findBinary(machine);
  if (binary !== undefined) return dynoxide(binary);
  if (!isOfBinary && machine.runs('docker', 'info')) return container;
  throw new StartFailure(missing({ isOfContainer, isOfBinary }));
}

/**
 * Returns the path or name of a dynoxide binary, if there is one.
 * @throws {StartFailure} if the file that DYNAMODB_BINARY names does not exist
 */
export function findBinary(machine = thisMachine): string | undefined {
  const own = process.env['DYNAMODB_BINARY'];
  if (own) {
    if (!existsSync(own))
      throw new StartFailure(`DYNAMODB_BINARY names ${own}, which does not exist. Correct it or unset it.`);
    return own;
  }
  return machine.packaged() ?? (machine.runs('dynoxide', '--version') ? 'dynoxide' : undefined);
}

function dynoxide(binary: string): DynamodbProgram {
  return {
    startTimeoutMs: BINARY_START_TIMEOUT_MS,
    command(port, directory) {
      const data = directory === undefined ? [] : ['--db-path', privateDatabase(directory)];
      return [binary, 'serve', '--host', '127.0.0.1', '--port', String(port), ...data];
    },
  };
}

const container: DynamodbProgram = {
  startTimeoutMs: CONTAINER_START_TIMEOUT_MS,
  command(port, directory) {
    const published = ['--publish', `127.0.0.1:${port}:${CONTAINER_PORT}`];
    const server = ['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-disableTelemetry'];
    if (directory === undefined)
      return ['docker', 'run', '--rm', ...published, CONTAINER_IMAGE, ...server, '-inMemory'];
    const volume = ['--volume', `${containerDatabase(directory)}:${CONTAINER_DATA}`];
    // On Linux, files in a volume belong to the container's user.
    const user = process.platform === 'linux' ? ['--user', `${process.getuid!()}:${process.getgid!()}`] : [];
    return [
      'docker',
      'run',
      '--rm',
      ...published,
      ...volume,
      ...user,
      CONTAINER_IMAGE,
      ...server,
      '-dbPath',
      CONTAINER_DATA,
    ];
  },
};

function missing({ isOfContainer, isOfBinary }: { isOfContainer: boolean; isOfBinary: boolean }): string {
  if (isOfContainer)
    return `The records in this directory were written by ${CONTAINER_IMAGE}. Start Docker, or choose another directory with --data.`;
  const install = `Install dynoxide (https://github.com/nubo-db/dynoxide) so that it is on the PATH`;
  if (isOfBinary)
    return `The records in this directory were written by dynoxide, which is not installed on this machine. ${install}, or choose another directory with --data.`;
  return `The packages include no DynamoDB for ${platform}. ${install}, or start Docker to run ${CONTAINER_IMAGE}. To use a DynamoDB of your own, set DYNAMODB_ENDPOINT.`;
}
