import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects, type WireName } from '../support/dialects.ts';
import { startHostileGateway, type HostileGateway } from '../support/hostile-gateway.ts';

/** Citations are not part of the text of an answer, but use the gateway's memory as well. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const MB = 1_000_000;
const CITED_BYTES = 100_000;

const anthropicCitation = (cited: string) =>
  dialects.anthropic.event(
    `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"${cited}"}}}`,
  );
const bedrock = dialects['bedrock-converse'];
const bedrockCitation = (cited: string) =>
  bedrock.event(
    `{"contentBlockIndex":0,"delta":{"citation":{"location":{"documentChar":{"documentIndex":0,"start":0,"end":9}},"sourceContent":[{"text":"${cited}"}]}}}`,
  );

const floods: [WireName, string, string, string][] = [
  ['anthropic', 'after a text', dialects.anthropic.text('Cited: '), anthropicCitation('c'.repeat(CITED_BYTES))],
  ['bedrock-converse', 'after a text', bedrock.text('Cited: '), bedrockCitation('c'.repeat(CITED_BYTES))],
  ['bedrock-converse', 'before any text', '', bedrockCitation('c'.repeat(10 * CITED_BYTES))],
];

describe('half a gigabyte of citations', () => {
  it.each(floods)('(%s) %s is not read to its end', async (wire, _where, before, citation) => {
    let sent = 0;

    await hostile.attack({
      wire,
      limitRub: null,
      patienceMs: 30_000,
      behavior: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening() + before);
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

it('a flood of citations leaves the gateway and other clients unharmed', () => hostile.expectUnharmed());
