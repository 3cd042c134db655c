/** Reads the bodies of requests, and limits the memory of all bodies in one process. */

import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../platform/errors.ts';

/** Maximum size in bytes of a Lambda event. The body is a JSON string in it, so each of its quotes takes two bytes. */
export const MAX_EVENT_BYTES = 6 * 1024 * 1024;

export interface BodyShare {
  /**
   * Takes memory for more bytes.
   * @throws {GatewayError} 529 if all memory for bodies is in use
   */
  grow: (bytes: number) => void;
  release: () => void;
}

/** Memory for bodies that all requests of a process share. */
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
    'The gateway is reading the maximum of large requests at once. Try again in a second.',
  );
}

/** Maximum size in bytes of a form with files on a server: a file of 25 MB and other fields. */
export const MAX_FORM_BYTES = 26 * 1024 * 1024;

function tooLarge(): GatewayError {
  return new GatewayError(
    'payload_too_large',
    'The request is larger than 6 MB as a JSON string, in which each quote counts twice. Send images and documents by URL.',
  );
}

/** Returns the refusal of a form. Its maximum on Lambda is lower, because base64 makes the form a third larger. */
export function formTooLarge(isOnServer: boolean): GatewayError {
  const alternatives = 'Send the https address of the file instead, if the route has a field for it';
  return new GatewayError(
    'payload_too_large',
    isOnServer
      ? `The form is larger than 25 MB. ${alternatives}.`
      : `The form is larger than about 4.5 MB, the maximum for files at this address. ${alternatives}, or send the form to the server of the gateway, which accepts 25 MB.`,
  );
}

/** Bytes of a body that were read. `isWhole`: there are no further bytes. */
export interface ReadBody {
  bytes: Buffer;
  isWhole: boolean;
}

export interface BodyLimit {
  maxBytes: number;
  refusal: () => GatewayError;
}

export const eventLimit: BodyLimit = { maxBytes: MAX_EVENT_BYTES, refusal: tooLarge };

interface ReadOptions {
  upToBytes?: number | undefined;
  share?: BodyShare | undefined;
  limit?: BodyLimit;
}

/**
 * Reads a body to its end, or until it exceeds `upToBytes`; further bytes can then still be read from the request.
 * @throws {GatewayError} 413 for a body that is larger than the limit; 529 if all memory for bodies is in use
 */
export async function readBody(
  request: IncomingMessage,
  { upToBytes = Infinity, share, limit = eventLimit }: ReadOptions = {},
): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit.maxBytes) throw limit.refusal();
    share?.grow(chunk.length);
    chunks.push(chunk);
    if (size > upToBytes) return { bytes: Buffer.concat(chunks), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
