import { describe, expect, it } from 'vitest';
import {
  hasGatewaySignature,
  gatewaySignature,
  thinkingOf,
  withoutGatewaySigned,
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
