import { describe, expect, it } from 'vitest';
import { shortToolName } from '../../lambdas/messages/tool-names.ts';
import { ClientCalls } from '../../lambdas/providers/translated/client-calls.ts';

const calls = (...names: string[]) =>
  new ClientCalls({ model: 'm', messages: [], tools: names.map((name) => ({ name, input_schema: {} })) }, 'any');

describe('the name of a call', () => {
  it.each([
    'look',
    'functions.look',
    'default_api.look',
    'default_api:look',
    'functions.look:0',
    'look<|channel|>commentary',
    'functions.look<|channel|>json',
  ])('%s is that of the declared tool', (sent) => {
    expect(calls('look').nameOf(sent)).toBe('look');
  });

  it('is the client’s name if the provider got a derived name', () => {
    const own = 'files.read';
    const sent = shortToolName(own);

    expect(calls(own).nameOf(sent)).toBe(own);
    expect(calls(own).nameOf(`default_api.${sent}`)).toBe(own);
  });

  it.each(['functions.other', 'other', 'look2', 'look.functions'])(
    '%s is unchanged if no tool has the name without the addition',
    (sent) => {
      expect(calls('look').nameOf(sent)).toBe(sent);
    },
  );

  it('is unchanged if a tool has exactly this name', () => {
    expect(calls('look', 'functions.look').nameOf('functions.look')).toBe('functions.look');
  });
});
