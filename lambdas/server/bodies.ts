/** Reads the bodies of requests, and bounds their bytes in one process. */

import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../platform/errors.ts';

/** The largest event that Lambda accepts. The body is a text in it, so its quotes are escaped. */
export const MAX_EVENT_BYTES = 6 * 1024 * 1024;

/** One request's share of the room for bodies. */
export interface BodyShare {
  /** @throws {GatewayError} 529 if there is no room for more */
  grow: (bytes: number) => void;
  release: () => void;
}

/** The room for bodies that all requests of a process share. */
export class BodyRoom {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  share(): BodyShare {
    let own = 0;
    return {
      grow: (bytes) => {
        if (this.#bytes + bytes > this.#maxBytes) throw noRoom();
        this.#bytes += bytes;
        own += bytes;
      },
      release: () => {
        this.#bytes -= own;
        own = 0;
      },
    };
  }
}

function noRoom(): GatewayError {
  return new GatewayError(
    'provider_overloaded',
    'The gateway is reading as many large requests as it can at once. Try again in a second.',
  );
}

export function tooLarge(): GatewayError {
  return new GatewayError(
    'payload_too_large',
    'Requests may have 6 MB as JSON, in which each quote counts twice. Send images and documents by URL.',
  );
}

/** The first bytes of a body, and whether that is all of it. */
export interface ReadBody {
  bytes: Buffer;
  isWhole: boolean;
}

/**
 * Reads a body to its end, or until it exceeds `upToBytes`. The rest is then still in the request.
 * @throws {GatewayError} 413 for a body that no function would get, 529 without room
 */
export async function readBody(
  request: IncomingMessage,
  { upToBytes = Infinity, share }: { upToBytes?: number | undefined; share?: BodyShare | undefined } = {},
): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_EVENT_BYTES) throw tooLarge();
    share?.grow(chunk.length);
    chunks.push(chunk);
    if (size > upToBytes) return { bytes: Buffer.concat(chunks), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
