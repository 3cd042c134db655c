import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/dialects.ts';
import { startHostileGateway, type HostileGateway } from '../support/hostile-gateway.ts';

/** Citations are no words of an answer, but they are kept with it all the same. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const MB = 1_000_000;
const CITED_BYTES = 100_000;

describe('half a gigabyte of citations', () => {
  it('is not read to its end', { timeout: 40_000 }, async () => {
    const citation = dialects.anthropic.event(
      `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"${'c'.repeat(CITED_BYTES)}"}}}`,
    );
    let sent = 0;

    await hostile.attack({
      wire: 'anthropic',
      limitRub: null,
      patienceMs: 30_000,
      behaviour: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening());
        while (sent < 500 * MB) {
          if (!(await send(citation))) return;
          sent += citation.length;
        }
        await send(dialect.reason() + dialect.stop);
        await finish();
      },
    });

    expect(sent).toBeLessThan(100 * MB);
  });
});

it('leaves the gateway and everybody else unharmed', () => hostile.expectUnharmed());
