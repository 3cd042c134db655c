import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adoptChild } from '../../shared/children.ts';
import type { DeployedFunction } from './templates.ts';
import { PreludeParser } from './prelude.ts';

/** The result is a value, or is streamed into the response. */
export interface Invocation {
  event: unknown;
  /** HTTP response of a streaming function. */
  response?: ServerResponse;
}

interface Pending extends Invocation {
  id: string;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

const require = createRequire(import.meta.url);
const runtimeClient = join(dirname(require.resolve('aws-lambda-ric/package.json')), 'index.mjs');
const shim = fileURLToPath(new URL('./rapid-client-shim.cjs', import.meta.url));

/** Error if the function failed or timed out, or if its process ended. */
class FunctionFailure extends Error {
  override name = 'FunctionFailure';
}

/**
 * Execution environment of a function: a process that runs a bundle under the real Lambda runtime client, against a
 * local Runtime API. It handles one invocation at a time.
 */
export class Sandbox {
  readonly functionName: string;
  readonly #timeoutMs: number;
  readonly #server: Server;
  #child: ChildProcess | undefined;
  /** Request with which the runtime client waits for the next invocation. */
  #waiting: ServerResponse | undefined;
  #pending: Pending | undefined;
  #dead = false;

  private constructor(deployed: DeployedFunction) {
    this.functionName = deployed.name;
    this.#timeoutMs = deployed.timeoutSeconds * 1000;
    // A streamed response is one long request from the runtime client.
    this.#server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
      void this.#answer(request, response);
    });
  }

  static async start(deployed: DeployedFunction, environment: Record<string, string>): Promise<Sandbox> {
    const sandbox = new Sandbox(deployed);
    sandbox.#server.listen(0, '127.0.0.1');
    await once(sandbox.#server, 'listening');
    const { port } = sandbox.#server.address() as AddressInfo;
    const child = adoptChild(
      spawn(process.execPath, ['--require', shim, runtimeClient, deployed.handler], {
        cwd: deployed.assetDirectory,
        // The functions' output must not mix with the gateway's output.
        stdio: ['ignore', process.stderr, process.stderr],
        env: {
          PATH: process.env['PATH'] ?? '',
          ...environment,
          AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
          AWS_LAMBDA_FUNCTION_NAME: deployed.name,
          AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(deployed.memoryMb),
          AWS_LAMBDA_LOG_GROUP_NAME: `/local/${deployed.name}`,
          AWS_LAMBDA_LOG_STREAM_NAME: randomUUID(),
          LAMBDA_TASK_ROOT: deployed.assetDirectory,
          _HANDLER: deployed.handler,
        },
      }),
    );
    sandbox.#child = child;
    child.once('exit', () => sandbox.#onExit());
    return sandbox;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  /** @throws {FunctionFailure} if the function fails or takes too long, or if its process ends */
  async invoke(invocation: Invocation): Promise<unknown> {
    const timer = setTimeout(() => void this.stop(), this.#timeoutMs);
    try {
      return await new Promise((resolve, reject) => {
        this.#pending = { ...invocation, id: randomUUID(), resolve, reject };
        if (this.#dead) this.#onExit();
        else this.#handOver();
      });
    } finally {
      clearTimeout(timer);
      this.#pending = undefined;
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const action = request.url!.split('/').at(-1);
    if (action === 'next') {
      // The request of an ended process must not receive the next invocation.
      response.once('close', () => (this.#waiting = this.#waiting === response ? undefined : this.#waiting));
      this.#waiting = response;
      this.#handOver();
      return;
    }
    const pending = this.#pending;
    const streams = request.headers['lambda-runtime-function-response-mode'] === 'streaming';
    try {
      if (action === 'response' && streams && pending?.response) await forwardStream(request, pending.response);
      else await this.#takeBody(action, request, pending);
      if (streams) pending?.resolve(undefined);
    } catch (error) {
      pending?.reject(error as Error);
    }
    response.writeHead(202).end();
  }

  async #takeBody(action: string | undefined, request: IncomingMessage, pending: Pending | undefined): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    if (action === 'response') pending?.resolve(text === '' ? undefined : JSON.parse(text));
    else pending?.reject(new FunctionFailure(`${this.functionName} failed: ${text.slice(0, 300)}`));
  }

  #handOver(): void {
    const pending = this.#pending;
    const waiting = this.#waiting;
    if (!pending || !waiting) return;
    this.#waiting = undefined;
    waiting.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': pending.id,
      'lambda-runtime-deadline-ms': String(Date.now() + this.#timeoutMs),
      'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${this.functionName}`,
    });
    waiting.end(JSON.stringify(pending.event));
  }

  #onExit(): void {
    this.#dead = true;
    this.#pending?.reject(new FunctionFailure(`The process of ${this.functionName} ended`));
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Forwards a streamed response to the client. As on Lambda, the function continues if the client disconnects. */
async function forwardStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const prelude = new PreludeParser();
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const body = prelude.push(chunk, (head) => {
      response.writeHead(head.statusCode, head.headers);
      response.flushHeaders();
    });
    if (body.length === 0 || response.destroyed) continue;
    if (!response.write(body)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  const failure = request.trailers['lambda-runtime-function-error-type'];
  if (failure) throw new FunctionFailure(`The stream failed: ${failure}`);
  response.end();
}
