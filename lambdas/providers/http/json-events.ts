import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { readText } from './read-text.ts';
import { sniffDocument } from './sniff-document.ts';
import { frameData, SseFrameSplitter } from './sse-frames.ts';
import { UpstreamError } from './upstream-error.ts';

/** Data of the last event in OpenAI's streams, which is not JSON. */
const DONE_MARK = '[DONE]';

/**
 * Yields the JSON of each server-sent event, or of a document in place of events. A last event that is cut off is
 * dropped.
 * @throws {UpstreamError} if an event or the document is too large or not JSON, or if reading fails
 */
export async function* jsonEvents(source: PullIterator<Buffer>, maxEventBytes: number): AsyncGenerator<unknown, void> {
  const { isDocument, body } = await sniffDocument(source);
  if (isDocument) {
    yield parsedEvent(await readText(body, maxEventBytes));
    return;
  }
  const splitter = new SseFrameSplitter(maxEventBytes);
  for await (const chunk of body) {
    for (const frame of splitter.push(chunk)) {
      const data = frameData(frame);
      if (data !== undefined && data !== DONE_MARK) yield parsedEvent(data);
    }
  }
  const last = frameData(splitter.rest());
  if (last !== undefined && isJson(last)) yield parsedEvent(last);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parsedEvent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UpstreamError('malformed', 'The provider sent an event that is not JSON', error);
  }
}
