import { afterEach, expect, it } from 'vitest';
import { connect } from '../../lambdas/routing/connection.ts';
import { candidateAt } from '../support/candidate.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

it('headers of a provider are sent with every request, and never replace those of the wire', async () => {
  const seen: unknown[] = [];
  const { url } = await upstream((response, request) => {
    seen.push([request.headers['x-data-logging-enabled'], request.headers['content-type']]);
    response.end('ok');
  });
  const candidate = candidateAt(url, { wire: 'openai-chat' });
  candidate.endpoint.provider.data.headers = { 'x-data-logging-enabled': 'false', 'content-type': 'text/plain' };
  const encoded = { path: '/x', headers: { 'content-type': 'application/json' }, body: '{}' };

  await connect(candidate, encoded, new AbortController().signal).send(encoded.body);

  expect(seen).toEqual([['false', 'application/json']]);
});
