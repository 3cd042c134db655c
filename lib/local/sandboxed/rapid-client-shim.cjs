'use strict';
/**
 * Replaces the native part of the Lambda runtime client (`rapid-client.node`), which would have to be compiled. It is
 * loaded with --require before the runtime client.
 */
const http = require('node:http');
const Module = require('node:module');

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
/** `done` and `error` return before their report is delivered, so `next` waits instead. */
let reported = Promise.resolve();

function call(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ bodyJson: Buffer.concat(chunks).toString('utf8'), headers: response.headers }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function report(path, body, headers) {
  reported = call('POST', path, body, { 'content-type': 'application/json', ...headers });
  return reported;
}

const client = {
  next: () =>
    reported
      .then(() => call('GET', '/2018-06-01/runtime/invocation/next'))
      // The Runtime API has stopped.
      .catch(() => process.exit(1)),
  done: (id, body) => void report(`/2018-06-01/runtime/invocation/${id}/response`, body, {}),
  error: (id, body) => void report(`/2018-06-01/runtime/invocation/${id}/error`, body, {}),
};

const load = Module._load;
Module._load = function loadOrShim(request, ...rest) {
  return request.endsWith('rapid-client.node') ? client : load.call(this, request, ...rest);
};
