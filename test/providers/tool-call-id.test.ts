import { describe, expect, it } from 'vitest';
import { clientCallId, toolCallId } from '../../lambdas/providers/tool-call-id.ts';

describe('the id of a tool call', () => {
  it.each(['call_1', 'toolu_01AbC', 'call-0c1d2e3f-0a1b-4c2d-8e3f-a1b2c3d4e5f6-0', 'D681PevKs'])(
    'is passed to clients unchanged: %s',
    (id) => {
      expect(clientCallId(id)).toBe(id);
    },
  );

  it.each(['functions.look:0', 'a b', 'вызов', '#', 'toolu_gw1_.'])(
    'is encoded for clients that refuse its characters, and decoded again: %s',
    (id) => {
      const shown = clientCallId(id);
      expect(shown).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(toolCallId(shown, 'openai')).toBe(id);
    },
  );

  it("is sent unchanged to an API if it matches the API's pattern", () => {
    const shown = clientCallId('functions.look:0');
    expect(toolCallId(shown, 'anthropic')).toBe(shown);
  });

  it('is the same short digest each time for an API that accepts neither', () => {
    const shown = clientCallId('functions.look:0');
    expect(toolCallId(shown, 'nineAlphanumerics')).toMatch(/^[a-f0-9]{9}$/);
    expect(toolCallId(shown, 'nineAlphanumerics')).toBe(toolCallId(shown, 'nineAlphanumerics'));
  });

  it('is bounded, and still unique', () => {
    const [one, two] = ['a', 'b'].map((letter) => clientCallId(letter.repeat(100_000)));
    expect(one!.length).toBeLessThan(64);
    expect(one).not.toBe(two);
  });

  it('is not decoded if it only resembles an encoded one', () => {
    expect(toolCallId('toolu_gw1_AAB', 'openai')).toBe('toolu_gw1_AAB');
    expect(toolCallId('toolu_gw1_Y2FsbF8x', 'openai')).toBe('toolu_gw1_Y2FsbF8x');
  });
});
