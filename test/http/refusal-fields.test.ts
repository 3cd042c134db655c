import { describe, expect, it } from 'vitest';
import { refusalFields } from '../../lambdas/http/refusal-fields.ts';
import { GatewayError, invalidRequest } from '../../lambdas/platform/errors.ts';

describe('the log fields of a refusal', () => {
  it('are its kind, its field and its model', () => {
    const refusal = invalidRequest('messages.0.content', 'is required');
    expect(refusalFields(refusal, { model: 'sandbox/gpt' })).toEqual({
      kind: 'invalid_request',
      field: 'messages.0.content',
      model: 'sandbox/gpt',
    });
  });

  it.each(['topic.type', 'topic.criteria.79123456789', 'q.criteria.Ivanov', 'ann@example.org.criteria.0', 'a b\nc.d'])(
    'do not include the names of questions and options (%j)',
    (names) => {
      const refusal = invalidRequest(`questions.${names}`, 'is wrong');
      expect(refusalFields(refusal, undefined)).toEqual({ kind: 'invalid_request', field: 'questions' });
    },
  );

  it('include the limit without room', () => {
    const refusal = new GatewayError('payment_required', 'No money', { metadata: { limit_source: 'key_limit' } });
    expect(refusalFields(refusal, undefined)).toEqual({ kind: 'payment_required', limit: 'key_limit' });
  });

  it.each([
    ['Call ann@example.org about it', 'sandbox/gpt'],
    ['x'.repeat(50), 'a model of many words'],
    ['', { nested: 'ann@example.org' }],
    ['', `x/sk-mg-v1-${'xxxxx0'.repeat(10)}`],
    ['', `sk-ant-api03-${'xxxxx0'.repeat(10)}`],
    ['', `hf_${'xxxxx0'.repeat(6)}`],
    ['', `pplx-${'xxxxx0'.repeat(8)}`],
    ['', `csk-${'xxxxx0'.repeat(8)}`],
    ['', `nvapi-${'xxxxx0'.repeat(10)}`],
  ])('never include a text of the request (%j, %j)', (field, model) => {
    const said = JSON.stringify(refusalFields(invalidRequest(field, 'is wrong'), { model }));
    expect(said).not.toMatch(/ann|xxxxx|words/);
  });
});
