/** Local counterparts of API Gateway and of the Lambda function URL. */

import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { errorKinds, GatewayError } from '../../lambdas/platform/errors.ts';
import { isCompressed, isForm } from '../../lambdas/http/request.ts';
import type { FunctionHost } from '../../lambdas/server/function-host.ts';
import { fitting } from '../../lambdas/server/api-server.ts';
import {
  NO_ROOM,
  TOO_LARGE,
  TOO_MANY_REQUESTS,
  TOO_SLOW,
  UNREADABLE_BODY,
  type EntryPointRefusal,
} from '../shared/entry-point-refusals.ts';
import { NoRoomError, type Concurrency } from './concurrency.ts';
import type { Throttle } from './throttle.ts';

/**
 * A regional API closes a stream after this time without output.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
const MAX_SILENCE_MS = 5 * 60_000;

/**
 * API Gateway's limit for a decompressed payload.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MAX_PAYLOAD_BYTES = 10 * 1024 * 1024;

interface ApiGateway {
  concurrency: Concurrency;
  throttle: Throttle;
  /** Time that API Gateway waits for a complete response, by function name. */
  integrationSeconds: Readonly<Record<string, number>>;
  maxSilenceMs?: number;
}

/**
 * Wraps the functions so that they behave as behind API Gateway.
 *
 * Weakness: AWS does not document two cases. Here, a stream that takes too long is cut off, and a function that is
 * silent before it sends status and headers gets a timeout.
 */
export function behindApiGateway(
  host: FunctionHost,
  { concurrency, throttle, integrationSeconds, maxSilenceMs = MAX_SILENCE_MS }: ApiGateway,
): FunctionHost {
  const run = async <Result>(name: string, work: () => Promise<Result>) => {
    if (!throttle.admits()) throw entryPointError(TOO_MANY_REQUESTS);
    return concurrency.run(name, work).catch(refuseForRoom);
  };
  return {
    ...host,
    async invoke(name, packed, clientLeft) {
      const event = await unpacked(packed as APIGatewayProxyEvent);
      const patience = new Patience(integrationSeconds[name]!);
      return patience.wait(run(name, () => host.invoke(name, event, clientLeft)));
    },
    async stream(name, packed, response) {
      const event = await unpacked(packed as APIGatewayProxyEvent);
      const patience = new Patience(integrationSeconds[name]!);
      response.setTimeout(maxSilenceMs, () => patience.end());
      await patience.wait(run(name, () => host.stream(name, event, response)));
    },
  };
}

/**
 * Wraps the functions so that they behave as behind a Lambda function URL, including Lambda's own throttling response.
 *
 * Weakness: AWS does not document the body of the throttling response (empty here), and whether it ends silent streams
 * (not ended here).
 */
export function behindFunctionUrl(host: FunctionHost, concurrency: Concurrency): FunctionHost {
  return {
    ...host,
    async stream(name, event, response) {
      await concurrency
        .run(name, () => host.stream(name, event, response))
        .catch((error: unknown) => {
          if (!(error instanceof NoRoomError)) throw error;
          response.writeHead(errorKinds.rate_limit_exceeded.status, { 'content-length': 0 }).end();
        });
    },
  };
}

const decoders: Record<string, (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
};

/**
 * Decompresses a request body as a REST API does: the event contains the text, or base64 for a form.
 * @see
 *   https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html
 * @throws {GatewayError} 415 for other encodings and invalid data, 413 if the decompressed body is too large
 */
async function unpacked(event: APIGatewayProxyEvent): Promise<APIGatewayProxyEvent> {
  if (!event.isBase64Encoded || event.body === null) return event;
  const encoding = headerOf(event, 'content-encoding');
  if (!isCompressed(encoding)) return event;
  const decode = decoders[encoding!.trim().toLowerCase()];
  if (!decode) throw entryPointError(UNREADABLE_BODY);
  const bytes = await decode(Buffer.from(event.body, 'base64'), { maxOutputLength: MAX_PAYLOAD_BYTES }).catch(
    (error: NodeJS.ErrnoException) => {
      throw entryPointError(error.code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : UNREADABLE_BODY);
    },
  );
  const isBase64Encoded = isForm(headerOf(event, 'content-type'));
  return fitting({ ...event, body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded });
}

function headerOf({ headers }: APIGatewayProxyEvent, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Time limit of one invocation, like the integration timeout of API Gateway. */
class Patience {
  readonly #over = Promise.withResolvers<never>();
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  end(): void {
    this.#over.reject(entryPointError(TOO_SLOW));
  }

  /**
   * @throws {GatewayError} 504 after the time limit or `end`; the function continues to run, and its result is ignored
   */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.end(), this.#seconds * 1_000);
    try {
      return await Promise.race([work, this.#over.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function refuseForRoom(error: unknown): never {
  throw error instanceof NoRoomError ? entryPointError(NO_ROOM) : error;
}

function entryPointError({ kind, text, retryAfterSeconds }: EntryPointRefusal): GatewayError {
  const headers: Record<string, string> = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {};
  return new GatewayError(kind, text, { headers });
}
