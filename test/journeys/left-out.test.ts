import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

/** Returns the header that names omitted fields, and their list in the record. */
async function leftOutOf(path: string, body: object): Promise<{ header: string | null; recorded: unknown }> {
  const response = await post(gateway, path, body);
  await response.text();
  expect(response.status).toBe(200);
  const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
  return { header: response.headers.get('x-gateway-left-out'), recorded: record['left_out'] };
}

describe('left-out fields', () => {
  const model = 'sandbox/claude';
  const chat = { model, messages: [said('Hi')] };

  it.each<[string, object, string[]]>([
    ['/messages', { ...chat, max_tokens: 20, seed: 7 }, ['seed']],
    ['/messages', { ...chat, max_tokens: 20, seed: 7, stream: true }, ['seed']],
    ['/chat/completions', { ...chat, newest_field: 1, min_p: 0.1, seed: 7 }, ['newest_field', 'seed', 'min_p']],
    ['/responses', { model, input: 'Hi', text: { verbosity: 'low' } }, ['text.verbosity']],
  ])('are in the header and on the record, by the names of %s: %j', async (path, body, names) => {
    expect(await leftOutOf(path, body)).toEqual({ header: names.join(', '), recorded: names });
  });

  it('are absent if all fields were sent', async () => {
    expect(await leftOutOf('/chat/completions', { ...chat, temperature: 0.5 })).toEqual({ header: null, recorded: [] });
  });

  it('are limited in number and length', async () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`field_${index}_`.padEnd(index % 2 ? 60 : 61, 'x'), 1]),
    );
    const { header, recorded } = await leftOutOf('/chat/completions', {
      ...chat,
      ...unknown,
      seed: 7,
      verbosity: 'low',
    });

    const names = recorded as string[];
    expect(header).toBe(names.join(', '));
    expect(names).toEqual(expect.arrayContaining(['other', 'seed', 'verbosity']));
    expect(names).toHaveLength(34);
    expect(Math.max(...names.map(({ length }) => length))).toBe(60);
  });
});
