import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { claimDirectory, isClaimed } from './directory-claim.ts';
import { StartFailure } from '../failure.ts';
import {
  BOOKS,
  createPrivateFile,
  MAILS,
  makePrivateDirectory,
  PUBLICATIONS,
  replacePrivateFile,
} from './private-files.ts';

/** Account and workspace that the first start created. */
export interface Bootstrapped {
  account_id: string;
  workspace_id: string;
}

/** File that contains the addresses of the running gateway, for other processes on this machine. */
export interface RunFile {
  pid: number;
  dynamodb_endpoint: string;
  table_name: string;
  base_url: string;
  /** Directory of the catalog that applies while no catalog is published. */
  catalog_directory: string;
  /** Milliseconds that the gateway adds to the machine's clock (`--now`). */
  clock_offset_ms: number;
}

/** Time to wait for a command that uses the directory; there is no wait for a running gateway. */
const CLAIM_WAIT_MS = 10_000;

export class LocalState {
  readonly directory: string;
  readonly ephemeral: boolean;
  #release: (() => void) | undefined;

  private constructor(directory: string, ephemeral: boolean) {
    this.directory = directory;
    this.ephemeral = ephemeral;
  }

  /**
   * Claims the directory until the state is closed or the process ends.
   * @throws {StartFailure} if the directory cannot be used, or another process uses it
   */
  static async open(directory: string, ephemeral: boolean): Promise<LocalState> {
    const state = ephemeral ? LocalState.#ephemeral() : LocalState.#kept(directory);
    state.#release = await claimDirectory(state.directory, {
      waitMs: CLAIM_WAIT_MS,
      onHeld: () => state.#refuseBesideGateway(),
    });
    // A killed gateway does not delete its run file, so this file may be outdated.
    state.#removeRun();
    return state;
  }

  static #ephemeral(): LocalState {
    const state = new LocalState(mkdtempSync(join(tmpdir(), 'model-gateway-')), true);
    process.once('exit', () => state.close());
    return state;
  }

  static #kept(directory: string): LocalState {
    const path = resolve(directory);
    try {
      makePrivateDirectory(path);
    } catch {
      throw new StartFailure(
        `The data directory ${path} cannot be created or made private. Choose another with --data.`,
      );
    }
    return new LocalState(path, false);
  }

  #refuseBesideGateway(): void {
    const running = this.running();
    if (!running) return;
    throw new StartFailure(
      `Another gateway (process ${running.pid}) runs on ${this.directory}. Stop it, or choose another --data.`,
    );
  }

  /** Returns the state in a directory without claiming the directory. */
  static at(directory: string): LocalState {
    return new LocalState(resolve(directory), false);
  }

  /** Returns the path of the file with the pepper, which is created on first use. */
  secretsFile(): string {
    const path = join(this.directory, 'secrets.json');
    if (!existsSync(path)) {
      makePrivateDirectory(this.directory);
      createPrivateFile(path, JSON.stringify({ pepper: randomBytes(32).toString('hex') }));
    }
    return path;
  }

  booksDirectory(): string {
    return join(this.directory, BOOKS);
  }

  publicationsDirectory(): string {
    return join(this.directory, PUBLICATIONS);
  }

  mailDirectory(): string {
    return join(this.directory, MAILS);
  }

  /** Returns the path of the key that signs sealed days, which is created on first use. */
  sealingKeyFile(): string {
    const path = join(this.directory, 'sealing-key.pem');
    if (!existsSync(path)) {
      makePrivateDirectory(this.directory);
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      createPrivateFile(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    }
    return path;
  }

  bootstrapped(): Bootstrapped | undefined {
    return readJsonIfPresent(join(this.directory, 'state.json')) as Bootstrapped | undefined;
  }

  saveBootstrapped(made: Bootstrapped): void {
    replacePrivateFile(join(this.directory, 'state.json'), JSON.stringify(made));
  }

  /**
   * Returns the run file of the gateway that runs on this directory; undefined if there is none or its process has
   * ended.
   */
  running(): RunFile | undefined {
    const run = readJsonIfPresent(join(this.directory, 'run.json')) as RunFile | undefined;
    return run && isAlive(run.pid) && isClaimed(this.directory) ? run : undefined;
  }

  saveRun(run: RunFile): void {
    replacePrivateFile(join(this.directory, 'run.json'), JSON.stringify(run));
  }

  /**
   * Records a new start of the gateway on this directory.
   * @returns ids of the earlier starts that `forgetBoots` has not removed; these gateways have ended
   */
  beginBoot(bootId: string): string[] {
    const earlier = this.#boots();
    this.#saveBoots([...earlier, bootId]);
    return earlier;
  }

  forgetBoots(bootIds: string[]): void {
    this.#saveBoots(this.#boots().filter((bootId) => !bootIds.includes(bootId)));
  }

  #boots(): string[] {
    return (readJsonIfPresent(this.#bootsFile) as string[] | undefined) ?? [];
  }

  #saveBoots(bootIds: string[]): void {
    replacePrivateFile(this.#bootsFile, JSON.stringify(bootIds));
  }

  get #bootsFile(): string {
    return join(this.directory, 'boots.json');
  }

  close(): void {
    if (!this.ephemeral) this.#removeRun();
    this.#release?.();
    if (this.ephemeral) rmSync(this.directory, { recursive: true, force: true });
  }

  #removeRun(): void {
    rmSync(join(this.directory, 'run.json'), { force: true });
  }
}

/** Returns whether a process has this id. It may be another process that got the id later. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readJsonIfPresent(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
