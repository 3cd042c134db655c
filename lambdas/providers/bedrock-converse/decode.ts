import { isRecord, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { AnswerBatch } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { EventStreamMessages, exceptionOf, type EventStreamMessage } from '../aws-event-stream/messages.ts';
import { asCallId, asList, asOptionalRecord, asRecord, asRecords, asText } from '../shapes.ts';
import type { Reading } from '../decoded-body.ts';
import { TranslatedAnswer } from '../translated/answer.ts';
import { withServiceTier } from '../translated/service-tier.ts';
import { TaggedThinking } from '../translated/tagged-thinking.ts';
import { parseEvent, translate } from '../translated/stream.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { DecodeContext } from '../wire.ts';
import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import { converseCitation } from './citations.ts';
import { familyOf, signerOf } from './families.ts';
import { converseStopReason } from './stop-reason.ts';
import { converseUsage } from './usage.ts';

type Context = DecodeContext<BedrockConverseQuirks>;
/**
 * Index of a block; undefined for values other than safe integers: a text of several megabytes could become the key of
 * a map.
 */
type Index = number | undefined;

/** Maximum number of open blocks of tools that the provider runs itself. */
const MAX_FOREIGN_BLOCKS = 1_000;
const MAX_HELD_CITATIONS = 1_000;
const MAX_HELD_CITATION_CHARACTERS = 4 * 1024 * 1024;

export function decodeConverseStream(body: AsyncIterable<Buffer>, context: Context): PullIterator<AnswerBatch> {
  const translation = new ConverseTranslation(context);
  const messages = new EventStreamMessages();
  return translate(body, translation.answer, {
    get pendingBytes() {
      return messages.pendingBytes;
    },
    feed: (chunk) => {
      for (const message of messages.push(chunk)) translation.onMessage(message);
    },
    end: () => translation.onEnd(),
  });
}

/** Converts a non-streaming answer, as if each of its blocks were one piece of a stream. */
export function decodeConverse(document: unknown, context: Context): AnswerBatch | undefined {
  const answer = asRecord(document);
  if (answer['output'] === undefined) return undefined;
  const { batch, failure } = new ConverseTranslation(context).readDocument(answer);
  if (failure) throw failure;
  return batch;
}

class ConverseTranslation {
  readonly answer: TranslatedAnswer;
  readonly #context: Context;
  #stopReason: string | undefined;
  #matchedStopSequence: string | null = null;
  #hasLastUsage = false;
  /** Indexes of the open blocks of tools that the provider runs itself. Their content is not for the client. */
  readonly #foreign = new Set<Index>();
  /** Index of the Converse block whose text is in the text block that is open for the client. */
  #textBlock: Index;
  /** Writer of that text. */
  #words: TaggedThinking;
  /** Citations that arrived before the text of their block. */
  #citations: object[] = [];
  #citationCharacters = 0;

  constructor(context: Context) {
    this.#context = context;
    this.answer = new TranslatedAnswer(context, gatewaySignature('bedrock-converse'));
    this.#words = this.#newWords();
  }

  /**
   * Returns a writer of a block's text. Nova thinks in tags before it calls a tool, in one or several blocks
   * (https://docs.aws.amazon.com/nova/latest/userguide/tool-use-invocation.html).
   */
  #newWords(): TaggedThinking {
    const { target, request } = this.#context;
    const isTagged = target.quirks.family === 'nova' && Boolean(request.tools?.length);
    return new TaggedThinking(this.answer.blocks, isTagged, 'thinking');
  }

  readDocument({ output, usage, stopReason, ...answer }: Record<string, unknown>): Reading {
    return this.answer.reading(() => {
      this.answer.start();
      const { content } = asRecord(asRecord(output)['message']);
      for (const [index, block] of asList(content).entries()) this.#onWholeBlock(index, asRecord(block));
      this.#onStop({ ...answer, stopReason });
      this.#onMetadata({ ...answer, usage });
      this.onEnd();
    });
  }

  onMessage(message: EventStreamMessage): void {
    if (this.answer.ended) return;
    const { kind, type, payload } = message;
    if (kind === 'exception') {
      this.answer.fail(exceptionOf(message));
      return;
    }
    const event = asRecord(parseEvent(payload));
    if (type === 'metadata') this.#onMetadata(event);
    else this.#onEvent(type, event);
    this.answer.waitingBytes = this.#words.waitingBytes;
    if (this.#hasLastUsage) this.#finish();
  }

  onEnd(): void {
    if (this.answer.ended) return;
    if (this.#stopReason === undefined) {
      throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
    }
    this.#finish();
  }

  #onEvent(type: string, event: Record<string, unknown>): void {
    const index = converseIndex(event['contentBlockIndex']);
    switch (type) {
      case 'messageStart':
        this.answer.start();
        break;
      case 'contentBlockStart':
        this.answer.start();
        this.#onBlockStart(index, asOptionalRecord(event['start']) ?? {});
        break;
      case 'contentBlockDelta':
        this.answer.start();
        this.#onDelta(index, asOptionalRecord(event['delta']) ?? {});
        break;
      case 'contentBlockStop':
        this.#onBlockStop(index);
        break;
      case 'messageStop':
        this.answer.start();
        this.#onStop(event);
        break;
    }
  }

  /** Handles the start of a tool block. Text and thinking blocks have no start event. */
  #onBlockStart(index: Index, start: Record<string, unknown>): void {
    const call = asOptionalRecord(start['toolUse']);
    // Nova reports the web searches that it runs itself as tool calls with results. They are not for the client.
    if (call?.['type'] === 'server_tool_use' || start['toolResult'] !== undefined) {
      if (this.#foreign.size >= MAX_FOREIGN_BLOCKS) throw tooMuch();
      this.#foreign.add(index);
    } else if (call) {
      this.#onCall(index, asCallId(call['toolUseId']), asText(call['name']), '');
    }
  }

  #onDelta(index: Index, delta: Record<string, unknown>): void {
    if (this.#foreign.has(index)) return;
    this.#onText(index, asText(delta['text']));
    const thinking = asOptionalRecord(delta['reasoningContent']);
    if (thinking) this.#onThinking(thinking, thinking);
    const citation = asOptionalRecord(delta['citation']);
    if (citation) this.#onCitation(index, citation);
    const call = asOptionalRecord(delta['toolUse']);
    if (call) this.#onCall(index, '', '', asText(call['input']));
  }

  #onText(index: Index, text: string): void {
    if (text === '') return;
    // In the Messages API, citations belong to one text block, so each Converse block gets its own.
    if (this.#textBlock !== index) {
      this.#words.flush();
      this.answer.blocks.endProse();
      this.#words = this.#newWords();
    }
    this.#textBlock = index;
    this.#words.add(text);
    this.#cite();
  }

  #onThinking(text: Record<string, unknown>, { redactedContent }: Record<string, unknown>): void {
    const { blocks } = this.answer;
    this.#words.flush();
    blocks.thinking(asText(text['text']));
    const signature = asText(text['signature']);
    if (signature !== '') blocks.sign(this.#sealed(signature));
    const redacted = asText(redactedContent);
    if (redacted !== '') blocks.redacted(this.#sealed(redacted));
  }

  /**
   * Returns a signature for the client. Claude's signatures stay unchanged, because services that host Claude accept
   * them. Any other signature gets its model's name as a prefix, because only that model accepts it.
   */
  #sealed(signature: string): string {
    const { target } = this.#context;
    return familyOf(target).hasAnthropicSignatures ? signature : gatewaySignature(signerOf(target), signature);
  }

  #onCitation(index: Index, citation: Record<string, unknown>): void {
    const cited = converseCitation(citation);
    if (!cited) return;
    this.#citations.push(cited);
    this.#citationCharacters += JSON.stringify(cited).length;
    const isMuch = this.#citationCharacters > MAX_HELD_CITATION_CHARACTERS;
    if (this.#citations.length > MAX_HELD_CITATIONS || isMuch) throw tooMuch();
    if (this.#textBlock === index) this.#cite();
  }

  #cite(): void {
    if (this.#citations.length > 0) this.#words.flush();
    for (const citation of this.#citations) this.answer.blocks.citation(citation);
    this.#citations = [];
    this.#citationCharacters = 0;
  }

  #onCall(index: Index, id: string, name: string, json: string): void {
    this.#words.flush();
    this.answer.blocks.toolCall({
      index,
      id: id || undefined,
      name: name || undefined,
      arguments: json,
    });
  }

  #onBlockStop(index: Index): void {
    this.#foreign.delete(index);
    if (this.#textBlock === index) this.#words.flush();
    // Nova sends citations in separate blocks after the text.
    this.#cite();
  }

  #onWholeBlock(index: number, block: Record<string, unknown>): void {
    const call = asOptionalRecord(block['toolUse']);
    if (call && call['type'] !== 'server_tool_use') {
      this.#onCall(index, asCallId(call['toolUseId']), asText(call['name']), JSON.stringify(call['input'] ?? {}));
    }
    const thinking = asOptionalRecord(block['reasoningContent']);
    if (thinking) this.#onThinking(asOptionalRecord(thinking['reasoningText']) ?? {}, thinking);
    const cited = asOptionalRecord(block['citationsContent']) ?? {};
    for (const citation of asRecords(cited['citations'])) this.#onCitation(index, citation);
    this.#onText(index, asText(block['text']));
    for (const part of asRecords(cited['content'])) this.#onText(index, asText(part['text']));
    this.#onBlockStop(index);
  }

  #onStop({ stopReason, additionalModelResponseFields: fields }: Record<string, unknown>): void {
    const reason = asText(stopReason);
    if (reason === '') return;
    this.#stopReason = reason;
    this.answer.close(reason);
    if (reason === 'stop_sequence') this.#matchedStopSequence = this.#matchedIn(fields);
  }

  /**
   * Returns the stop sequence that ended the answer. Claude reports it. For other models, it is known only if the
   * request has exactly one.
   */
  #matchedIn(fields: unknown): string | null {
    const { stop_sequences: sequences = [] } = this.#context.request;
    const more = asOptionalRecord(fields) ?? {};
    const matched = (asOptionalRecord(more['delta']) ?? more)['stop_sequence'];
    if (typeof matched === 'string' && sequences.includes(matched)) return matched;
    return sequences.length === 1 ? sequences[0]! : null;
  }

  #onMetadata(metadata: Record<string, unknown>): void {
    const { usage } = metadata;
    if (!isRecord(usage)) return;
    this.answer.report(withServiceTier(converseUsage(usage), converseTier(metadata)));
    // Usage ends the answer only after the stop reason, because a known proxy for Bedrock sends usage before it.
    this.#hasLastUsage = this.#stopReason !== undefined;
  }

  #finish(): void {
    this.#words.flush();
    const reason = converseStopReason(this.#stopReason!, this.answer.blocks.hasToolCalls);
    if (reason !== 'failed') this.answer.finish(reason, this.#matchedStopSequence);
    else this.answer.fail({ message: 'The model stopped in the middle of an unreadable block' });
  }
}

/** Returns the service tier. Bedrock's latency-optimized inference ("optimized") has its own price. */
function converseTier({ serviceTier, performanceConfig }: Record<string, unknown>): unknown {
  const { latency } = recordOrEmpty(performanceConfig);
  return latency === 'optimized' ? latency : recordOrEmpty(serviceTier)['type'];
}

function converseIndex(value: unknown): Index {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function tooMuch(): UpstreamError {
  return new UpstreamError('malformed', 'The provider sent more blocks than an answer can have');
}
