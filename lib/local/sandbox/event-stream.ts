/** AWS's event stream encoding. */

import { EventStreamCodec } from '@smithy/core/event-streams';
import type { SandboxFraming } from './answer.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** As in AWS's libraries, an event is an object whose only field is the event's name. */
export const eventStream: SandboxFraming = {
  contentType: 'application/vnd.amazon.eventstream',
  encode: (event) => Buffer.concat(Object.entries(event).map(([name, data]) => frame(name, data as object))),
  garbage: withWrongChecksum(frame('contentBlockDelta', {})),
};

function frame(name: string, data: object): Buffer {
  const kind = name.endsWith('Exception') ? 'exception' : 'event';
  const headers = {
    [`:${kind}-type`]: stringHeader(name),
    ':content-type': stringHeader('application/json'),
    ':message-type': stringHeader(kind),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(data)) }));
}

function stringHeader(value: string): { type: 'string'; value: string } {
  return { type: 'string', value };
}

function withWrongChecksum(whole: Buffer): Buffer {
  whole.writeUInt8(whole.at(-1)! ^ 1, whole.length - 1);
  return whole;
}
