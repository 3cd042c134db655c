/** Tool server with the Model Context Protocol over its standard streams. */

import { createInterface } from 'node:readline';

const readRecord = {
  name: 'read_record',
  description: 'Reads a record of the archive.',
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  },
};

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'archive', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [readRecord] }),
  'tools/call': ({ arguments: { id } }) => ({ content: [{ type: 'text', text: recordOf(id) }] }),
};

/** Returns a record. Its id ends with its length, such as `r1-2000`. */
function recordOf(id) {
  const length = Number(/-(\d+)$/.exec(id)?.[1] ?? 0);
  return `Record ${id} says: ${'the harvest was good. '.repeat(length / 22)}END-${id}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
