/** Frames of AWS' event stream encoding. */

import { EventStreamCodec } from '@smithy/core/event-streams';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

export function eventFrame(type: string, data: object): Buffer {
  return frame(':event-type', type, 'event', data);
}

export function exceptionFrame(type: string, data: object): Buffer {
  return frame(':exception-type', type, 'exception', data);
}

function frame(typeHeader: string, type: string, kind: string, data: object): Buffer {
  const headers = {
    [typeHeader]: text(type),
    ':content-type': text('application/json'),
    ':message-type': text(kind),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(data)) }));
}

function text(value: string): { type: 'string'; value: string } {
  return { type: 'string', value };
}
