import { withoutMark } from '../../messages/refusal-block.ts';
import { PING } from '../../platform/sse.ts';
import { SILENCE_MS, type AnswerForm } from '../parts/answer-message.ts';
import { eventWriter } from './stream-body.ts';

export const messagesForm: AnswerForm = {
  route: 'create-message',
  whenSilent: { chunk: PING, afterMs: SILENCE_MS },
  writer: eventWriter,
  wholeAnswer: (message) => ({ ...message, content: message.content.map(withoutMark) }),
};
