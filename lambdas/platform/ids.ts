import { randomBytes, randomUUID } from 'node:crypto';
import { nowMs } from './clock.ts';

/**
 * Returns a UUID of version 7 (RFC 9562 §5.7) with the time of the gateway's clock. Node's own randomUUIDv7() is not
 * used, because it reads the system clock. Its ids would have the wrong day in a local gateway that runs at another
 * date.
 */
export function uuidv7(timeMs: number = nowMs()): string {
  const time = timeMs.toString(16).padStart(12, '0');
  // Node's UUIDs of version 4 come from a pool of random bytes, which is fast. All their digits after the version are
  // random, and the digit of the variant is already correct.
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** Returns the epoch milliseconds at which a UUID of version 7 was created. */
export function uuidTimeMs(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

const GENERATION_ID = /^gen-([0-9a-f]{8})-([0-9a-f]{4})-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns a new id of an inference request. It is the id of the response, and the argument of GET /generation. */
export function newGenerationId(): string {
  return `gen-${uuidv7()}`;
}

const REQUEST_ID = /^req_([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/;

/**
 * Returns the generation id that belongs to the request id of an inference request: both have the same digits, except
 * that a spread id has another version (`spreadId`). Undefined if the text is not a request id.
 */
export function generationIdOf(requestId: string): string | undefined {
  const [, ...digits] = REQUEST_ID.exec(requestId) ?? [];
  return digits.length === 0 ? undefined : `gen-${digits.join('-')}`;
}

/** Position of the digit with the UUID version in a generation id. */
const VERSION_PLACE = 'gen-00000000-0000-'.length;

/**
 * Returns the same id as a UUID of version 8 (RFC 9562 §5.8, custom). Version 8 marks a request of an account with
 * spread records: its day has 64 more partitions in addition to the usual eight (`generation-key.ts`). All other digits
 * mean the same as in version 7, so ids of both versions together sort by time.
 */
export function spreadId(id: string): string {
  return `${id.slice(0, VERSION_PLACE)}8${id.slice(VERSION_PLACE + 1)}`;
}

export function isSpreadId(id: string): boolean {
  return id[VERSION_PLACE] === '8';
}

/**
 * Returns the epoch milliseconds at which the request of a generation arrived; undefined if the text is not a
 * generation id.
 */
export function generationTimeMs(id: string): number | undefined {
  const match = GENERATION_ID.exec(id);
  return match ? Number.parseInt(match[1]! + match[2]!, 16) : undefined;
}

/**
 * Returns the lowest possible generation id of a moment. Generations that were admitted before that moment have lower
 * ids.
 */
export function firstGenerationId(timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, '0');
  return `gen-${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Returns a new id for any request, in the form that Anthropic's SDKs show. */
export function newRequestId(): string {
  return `req_${uuidv7().replaceAll('-', '')}`;
}

/** Returns 256 random bits in hexadecimal digits: the secret part of a key. */
export function newSecretBits(): string {
  return randomBytes(32).toString('hex');
}
