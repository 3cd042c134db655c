import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { sent } from '../support/chat-request.ts';

type Asked = Partial<Pick<MessagesRequest, 'thinking' | 'output_config'>>;

const budget = (tokens: number): Asked => ({ thinking: { type: 'enabled', budget_tokens: tokens } });
const effort = (name: string): Asked => ({ output_config: { effort: name } });
const effortOf = (...names: OpenaiChatQuirks['reasoning_efforts'] & object): OpenaiChatQuirks => ({
  reasoning_request: 'reasoning_effort',
  reasoning_efforts: names,
});

describe('the thinking settings of chat completions', () => {
  const off: Asked = { thinking: { type: 'disabled' } };
  const adaptive: Asked = { thinking: { type: 'adaptive' } };

  it.each<[string, Asked, OpenaiChatQuirks, object]>([
    ['the requested effort', effort('medium'), effortOf('low', 'medium', 'high'), { reasoning_effort: 'medium' }],
    ['the next effort below the requested one', effort('max'), effortOf('low', 'high'), { reasoning_effort: 'high' }],
    ['the least effort of the model', effort('low'), effortOf('high', 'max'), { reasoning_effort: 'high' }],
    ['no effort if thinking is disabled', off, effortOf('none', 'low'), { reasoning_effort: 'none' }],
    [
      'the least effort if thinking cannot be disabled',
      off,
      effortOf('minimal', 'low'),
      { reasoning_effort: 'minimal' },
    ],
    [
      'a medium effort for a model that may not think',
      adaptive,
      effortOf('none', 'low', 'medium'),
      { reasoning_effort: 'medium' },
    ],
    ['the default of the model', adaptive, effortOf('low', 'medium'), {}],
    ['no field for an effort if the model can only disable thinking', effort('high'), effortOf('none'), {}],
    ['a switch', adaptive, { reasoning_request: 'reasoning_enabled' }, { reasoning: { enabled: true } }],
    [
      'a switch and an effort',
      { ...adaptive, ...effort('xhigh') },
      { reasoning_request: 'reasoning_enabled', reasoning_efforts: ['high', 'max'] },
      { reasoning: { enabled: true }, reasoning_effort: 'high' },
    ],
    [
      'an object that switches it off',
      off,
      { reasoning_request: 'reasoning_object' },
      { reasoning: { enabled: false } },
    ],
    [
      'an object with a budget',
      budget(5_000),
      { reasoning_request: 'reasoning_object' },
      { reasoning: { max_tokens: 5_000 } },
    ],
    [
      'an object with an effort',
      effort('low'),
      { reasoning_request: 'reasoning_object' },
      { reasoning: { effort: 'low' } },
    ],
    [
      'a type and an effort',
      { ...adaptive, ...effort('low') },
      { reasoning_request: 'thinking_type', reasoning_efforts: ['high', 'max'] },
      { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    ],
    [
      'only a type if thinking is disabled',
      { ...off, ...effort('high') },
      { reasoning_request: 'thinking_type', reasoning_efforts: ['high', 'max'] },
      { thinking: { type: 'disabled' } },
    ],
    [
      'a budget for an effort',
      { ...adaptive, ...effort('low') },
      { reasoning_request: 'enable_thinking' },
      { enable_thinking: true, thinking_budget: 4_096 },
    ],
    [
      'no budget for a high effort',
      { ...adaptive, ...effort('high') },
      { reasoning_request: 'enable_thinking' },
      { enable_thinking: true },
    ],
    [
      'no budget if thinking is disabled',
      { ...off, ...effort('low') },
      { reasoning_request: 'enable_thinking' },
      { enable_thinking: false },
    ],
    [
      'a format that keeps reasoning apart from the answer',
      {},
      { reasoning_format: 'parsed' },
      { reasoning_format: 'parsed' },
    ],
  ])('are %s', (_what, asked, quirks, fields) => {
    const names = new Set([
      'thinking',
      'reasoning',
      'reasoning_effort',
      'reasoning_format',
      'enable_thinking',
      'thinking_budget',
    ]);
    const said = Object.entries(sent(asked, quirks)).filter(([name]) => names.has(name));
    expect(Object.fromEntries(said)).toEqual(fields);
  });
});
