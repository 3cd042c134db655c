/**
 * Preloaded module (node --import) that makes one stage of a gateway throw, like a bug. The text, the model, or the
 * provider path of a request selects the stage. In some stages, the error is thrown later, outside every try block.
 */

import http from 'node:http';
import { ServerResponse } from 'node:http';

const MARKER = '@@sabotage-';
const broken = (stage) => new Error(`sabotage of ${stage}`);
const carries = (text, stage) => typeof text === 'string' && text.includes(MARKER + stage);

const { parse, stringify } = JSON;
JSON.parse = (text, ...more) => {
  if (carries(text, 'parse')) throw broken('parse');
  return parse(text, ...more);
};
JSON.stringify = (value, ...more) => {
  const text = stringify(value, ...more);
  const isUpstreams = value?.stream === true && value.model === 'm';
  if (isUpstreams && carries(text, 'encode')) throw broken('encode');
  if (value?.v === 2 && value.outcome?.model === 'test/settle') throw broken('settle');
  return text;
};

const { byteLength } = Buffer;
Buffer.byteLength = (text, ...more) => {
  if (carries(text, 'measure') || carries(text, 'observe')) throw broken('measure');
  return byteLength(text, ...more);
};

const { write } = ServerResponse.prototype;
ServerResponse.prototype.write = function (chunk, ...more) {
  if (Buffer.from(chunk).includes(`${MARKER}write`)) throw broken('write');
  return write.call(this, chunk, ...more);
};

const later = (stage) =>
  setImmediate(() => {
    throw broken(stage);
  });

const { request } = http;
http.request = (url, ...more) => {
  const path = String(url?.pathname ?? '');
  if (path.startsWith('/connect/')) throw broken('connect');
  const outgoing = request(url, ...more);
  if (path.startsWith('/socket/')) outgoing.once('socket', () => later('socket'));
  if (path.startsWith('/response/')) outgoing.prependOnceListener('response', () => later('response'));
  if (path.startsWith('/head/')) {
    outgoing.prependOnceListener('response', () => {
      throw broken('head');
    });
  }
  if (path.startsWith('/data/')) {
    outgoing.once('response', (response) => response.once('readable', () => later('data')));
  }
  return outgoing;
};
