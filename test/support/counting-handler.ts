import { countPromptTokens } from '../../lambdas/admission/prompt/local-count.ts';

/** Function that only counts tokens. Tests bundle it in the way in which deployed functions are bundled. */
export const handler = (texts: string[]): Promise<number | undefined> =>
  countPromptTokens(texts, 'o200k', { owner: { account: 'account', key: 'key' }, clientLeft: undefined });
