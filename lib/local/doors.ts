/**
 * The doors of AWS do to requests what no process of this machine does by itself: they refuse those that come too often, and those that
 * a function has no room for, unpack bodies, and give up a function that takes too long, or is silent in the middle of its answer.
 */

import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { errorKinds, GatewayError } from '../../lambdas/platform/errors.ts';
import type { FunctionHost } from '../../lambdas/server/function-host.ts';
import { fitting } from '../../lambdas/server/front-door.ts';
import {
  NO_ROOM,
  TOO_LARGE,
  TOO_MANY_REQUESTS,
  TOO_SLOW,
  UNREADABLE_BODY,
  type DoorRefusal,
} from '../shared/door-refusals.ts';
import { NoRoomError, type Concurrency } from './concurrency.ts';
import type { Throttle } from './throttle.ts';

/**
 * A regional API cuts a streamed answer that is silent for so long.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
const MAX_SILENCE_MS = 5 * 60_000;

/**
 * A payload that API Gateway takes, after it is unpacked.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MAX_PAYLOAD_BYTES = 10 * 1024 * 1024;

interface ApiGateway {
  concurrency: Concurrency;
  throttle: Throttle;
  /** How long the door waits for the whole answer of a function, by its name. */
  doorSeconds: Readonly<Record<string, number>>;
  maxSilenceMs?: number;
}

/**
 * The functions as API Gateway calls them.
 *
 * Weakness: AWS does not say what a client sees of a stream that is given up, or of one that is silent before its head. Here the first is
 * cut, the second is a timeout like any other, and the function is told of both, which on AWS it is not.
 */
export function behindApiGateway(
  host: FunctionHost,
  { concurrency, throttle, doorSeconds, maxSilenceMs = MAX_SILENCE_MS }: ApiGateway,
): FunctionHost {
  const run = async <Result>(name: string, work: () => Promise<Result>) => {
    if (!throttle.admits()) throw refusalAtTheDoor(TOO_MANY_REQUESTS);
    return concurrency.run(name, work).catch(refuseForRoom);
  };
  return {
    ...host,
    async invoke(name, packed, clientLeft) {
      const event = await unpacked(packed as APIGatewayProxyEvent);
      const patience = new Patience(doorSeconds[name]!);
      return patience.wait(run(name, () => host.invoke(name, event, clientLeft)));
    },
    async stream(name, packed, response) {
      const event = await unpacked(packed as APIGatewayProxyEvent);
      const patience = new Patience(doorSeconds[name]!);
      response.setTimeout(maxSilenceMs, () => patience.end());
      await patience.wait(run(name, () => host.stream(name, event, response)));
    },
  };
}

/**
 * The functions as a function URL calls them: Lambda's own refusal comes through.
 *
 * Weakness: the body of that refusal is not known, so it has none here. Nor is it known whether a function URL ends an answer for its
 * silence, so nothing does.
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
 * The event of a compressed body as a REST API makes it: with the text, and with the header as it was.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html
 * @throws {GatewayError} 415 for other encodings and for data that is broken, 413 for too much of it
 */
async function unpacked(event: APIGatewayProxyEvent): Promise<APIGatewayProxyEvent> {
  if (!event.isBase64Encoded || event.body === null) return event;
  const [, encoding = ''] = Object.entries(event.headers).find(([name]) => name.toLowerCase() === 'content-encoding')!;
  const decode = decoders[encoding.trim().toLowerCase()];
  if (!decode) throw refusalAtTheDoor(UNREADABLE_BODY);
  const text = await decode(Buffer.from(event.body, 'base64'), { maxOutputLength: MAX_PAYLOAD_BYTES }).catch(
    (error: NodeJS.ErrnoException) => {
      throw refusalAtTheDoor(error.code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : UNREADABLE_BODY);
    },
  );
  return fitting({ ...event, body: text.toString('utf8'), isBase64Encoded: false });
}

/** Waits for a function until its time is over, or until it is given up before. */
class Patience {
  readonly #over = Promise.withResolvers<never>();
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  end(): void {
    this.#over.reject(refusalAtTheDoor(TOO_SLOW));
  }

  /** @throws {GatewayError} 504 when the function is given up; it runs on then, and nobody hears what becomes of it */
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
  throw error instanceof NoRoomError ? refusalAtTheDoor(NO_ROOM) : error;
}

function refusalAtTheDoor({ kind, text, retryAfterSeconds }: DoorRefusal): GatewayError {
  const headers: Record<string, string> = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {};
  return new GatewayError(kind, text, { headers });
}
