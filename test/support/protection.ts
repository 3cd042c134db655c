import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { protect } from '../../lambdas/protection/sensitive-data.ts';
import { noSensitiveData, sensitiveCategories, type SensitiveData } from '../../lambdas/store/sensitive-data.ts';

/** Settings that protect everything. */
export const everything: SensitiveData = { ...noSensitiveData, enabled: true, categories: [...sensitiveCategories] };

export const prompt = (content: string, more: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...more,
});

/** A prompt of one text, as a provider gets it. */
export async function sentText(text: string, settings: Partial<SensitiveData> = {}): Promise<string> {
  const { message } = await protect(prompt(text), { ...everything, ...settings });
  return message.messages[0]!.content as string;
}
