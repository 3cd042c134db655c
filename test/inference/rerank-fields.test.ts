import { expect, it } from 'vitest';
import { rankedText, rerankBody } from '../../lambdas/inference/modalities/rerank-schema.ts';

it('the text of a document to rank has a field once, even if rank_fields names it several times', () => {
  expect(rankedText({ text: 'one', title: 'two' }, ['text', 'text'])).toBe('one');
  const documents = [{ text: 'x'.repeat(30_000_000) }];
  const checked = rerankBody.schema.safeParse({
    model: 'm',
    query: 'q',
    documents,
    rank_fields: Array(20).fill('text'),
  });
  expect(checked.error?.issues[0]?.message).toContain('4 MiB');
});
