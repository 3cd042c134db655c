/** Frames of AWS's event stream encoding. */

import { crc32 } from 'node:zlib';

/**
 * Returns a frame with JSON: an exception if its name ends with "Exception", otherwise an event. The JSON of a `chunk`
 * is an event of the model.
 */
export function packFrame(name: string, json: string | Buffer): Buffer {
  const isException = name.endsWith('Exception');
  const headers = Buffer.concat([
    header(isException ? ':exception-type' : ':event-type', name),
    header(':content-type', 'application/json'),
    header(':message-type', isException ? 'exception' : 'event'),
  ]);
  const payload = name === 'chunk' ? JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p: 'abcd' }) : json;
  return frameOf(headers, Buffer.from(payload));
}

/** Returns the head of a frame: its lengths, and their checksum. */
export function frameHead(frameBytes: number, headerBytes = 0): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(frameBytes, 0);
  head.writeUInt32BE(headerBytes, 4);
  head.writeUInt32BE(crc32(head.subarray(0, 8)), 8);
  return head;
}

/** Returns a frame with valid checksums, for arbitrary headers and an arbitrary declared length. */
export function frameOf(headers: Buffer, payload: Buffer, headerBytes = headers.length): Buffer {
  const prelude = frameHead(16 + headers.length + payload.length, headerBytes);
  const content = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([content, checksum]);
}

export const emptyFrame = frameOf(Buffer.alloc(0), Buffer.alloc(0));

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7), length, Buffer.from(value)]);
}
