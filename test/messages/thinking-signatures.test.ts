import { describe, expect, it } from 'vitest';
import {
  hasGatewaySignature,
  gatewaySignature,
  thinkingOf,
  thinkingInAnswers,
  withoutGatewaySigned,
  withoutLooseEnd,
} from '../../lambdas/messages/thinking-signatures.ts';
import type { Block, Message } from '../../lambdas/messages/types.ts';

const thinking = (signature?: unknown): Block => ({
  type: 'thinking',
  thinking: 'Hm',
  ...(signature === undefined ? {} : { signature }),
});
const redacted: Block = { type: 'redacted_thinking', data: 'x' };
const text: Block = { type: 'text', text: 'Hello' };
const said = (...content: Block[]): Message => ({ role: 'assistant', content });

const unsigned = thinking();
const signedByAnthropic = thinking('EqQBCg');
const signedByAcme = thinking(gatewaySignature('acme', 'sig.1'));
const markedAsAcmes = thinking(gatewaySignature('acme'));
const signedByOther = thinking(gatewaySignature('acme2', 'sig'));

describe('a signature of the gateway', () => {
  it.each([unsigned, thinking(''), thinking(5), markedAsAcmes, signedByAcme])('is recognized: %j', (block) => {
    expect(hasGatewaySignature(block)).toBe(true);
  });

  it.each([signedByAnthropic, redacted, text])('is not assumed: %j', (block) => {
    expect(hasGatewaySignature(block)).toBe(false);
  });
});

describe('messages for Anthropic', () => {
  it('have only thinking with its own signature', () => {
    const messages = [said(unsigned, signedByAnthropic, signedByAcme, redacted, text)];

    expect(withoutGatewaySigned(messages)).toEqual([said(signedByAnthropic, redacted, text)]);
  });

  it('are left out if they have nothing else', () => {
    const question: Message = { role: 'user', content: 'Hi' };

    expect(withoutGatewaySigned([question, said(markedAsAcmes)])).toEqual([question]);
  });

  it('are the same objects if nothing is removed', () => {
    const message = said(signedByAnthropic, text);

    expect(withoutGatewaySigned([message])[0]).toBe(message);
  });
});

describe('messages for a provider with its own signatures', () => {
  it('have its own thinking with its signature, and no other', () => {
    const messages = [said(unsigned, signedByAnthropic, markedAsAcmes, signedByOther, redacted, signedByAcme, text)];

    expect(thinkingOf('acme', messages)).toEqual([said(thinking('sig.1'), text)]);
  });

  it('have unchanged texts', () => {
    const messages: Message[] = [{ role: 'user', content: 'Hi' }, said(text)];

    expect(thinkingOf('acme', messages)).toEqual(messages);
  });
});

const request = (...messages: Message[]) => ({ model: 'a/b', messages });

describe('thinking or blank text at the end of a conversation', () => {
  const asked: Message = { role: 'user', content: 'Hi' };

  it.each([
    ['is removed with its message', [asked, said(signedByAnthropic)], [asked]],
    ['is removed after a text', [asked, said(text, signedByAnthropic, redacted)], [asked, said(text)]],
    ['stays before a text', [asked, said(signedByAnthropic, text)], undefined],
    ['stays in an earlier turn', [asked, said(signedByAnthropic), asked], undefined],
    ['stays if it is all that there is', [said(signedByAnthropic)], undefined],
    ['is removed with an empty message', [asked, said()], [asked]],
    ['is removed with a message of white space', [asked, { role: 'assistant' as const, content: ' \n' }], [asked]],
    ['is removed after a text with more text', [asked, said(text, { type: 'text', text: '' })], [asked, said(text)]],
    ['is removed with several messages', [asked, said(text, redacted), said(), said(redacted)], [asked, said(text)]],
    ['is removed with all but the first message', [said(redacted), said()], [said(redacted)]],
    ['stays in a text that is not blank', [asked, { role: 'assistant' as const, content: 'Hi ' }], undefined],
  ])('%s', (_what, messages, expected) => {
    expect(withoutLooseEnd(request(...messages))).toEqual(request(...(expected ?? messages)));
  });
});

describe('messages for a provider that requires thinking in answers', () => {
  const asked: Message = { role: 'user', content: 'Hi' };
  const answer: Message = { role: 'assistant', content: 'Hello' };
  const placeholder = { type: 'thinking', thinking: ' ', signature: '' };

  it('have a placeholder in each answer without thinking, if the model may call tools', () => {
    const request = { model: 'a/b', messages: [asked, answer, asked, said(signedByAcme, text)] };
    const tools = [{ name: 'look', input_schema: {} }];
    expect(thinkingInAnswers('acme', { ...request, tools })).toEqual([
      asked,
      said(placeholder, text),
      asked,
      said(thinking('sig.1'), text),
    ]);
    expect(thinkingInAnswers('acme', request)[1]).toBe(answer);
  });
});
