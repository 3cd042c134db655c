'use strict';
/**
 * Replaces Lambda's global for streaming handlers, which the emulator lacks. It collects the response and returns it in
 * one piece. Node loads this file with --require before the function.
 */
const { isUtf8 } = require('node:buffer');
const { Writable } = require('node:stream');

class CollectedResponse extends Writable {
  chunks = [];
  head = { statusCode: 200, headers: {} };

  _write(chunk, encoding, done) {
    this.chunks.push(Buffer.from(chunk, encoding));
    done();
  }

  answer() {
    const body = Buffer.concat(this.chunks);
    return isUtf8(body)
      ? { ...this.head, body: body.toString('utf8') }
      : { ...this.head, body: body.toString('base64'), isBase64Encoded: true };
  }
}

globalThis.awslambda = {
  streamifyResponse: (handler) => async (event, context) => {
    const response = new CollectedResponse();
    await handler(event, response, context);
    if (!response.writableFinished) await new Promise((resolve) => response.end(resolve));
    return response.answer();
  },
  HttpResponseStream: {
    from(response, head) {
      response.head = head;
      return response;
    },
  },
};
