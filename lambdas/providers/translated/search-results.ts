import type { Block, MessagesRequest } from '../../messages/types.ts';
import { refuseCitations } from './documents.ts';

/**
 * Converts search results to texts, for endpoints without such blocks.
 * @throws {GatewayError} 400 for search results with citations, which only Claude models support
 */
export function withTextualSearchResults(request: MessagesRequest): MessagesRequest {
  const messages = request.messages.map((message, index) => {
    const content = withTexts(message.content, `messages.${index}.content`);
    return content === message.content ? message : { ...message, content };
  });
  return messages.some((message, index) => message !== request.messages[index]) ? { ...request, messages } : request;
}

/** Replaces the search results in a list of blocks, and in the tool results of that list. */
function withTexts<Content>(content: Content, path: string): Content | Block[] {
  if (!Array.isArray(content)) return content;
  const blocks = content as Block[];
  const replaced = blocks.map((block, index) => replacement(block, `${path}.${index}`));
  return replaced.some((block, index) => block !== blocks[index]) ? replaced : content;
}

function replacement(block: Block, path: string): Block {
  if (block.type === 'tool_result') {
    const content = withTexts(block['content'], `${path}.content`);
    return content === block['content'] ? block : { ...block, content };
  }
  return block.type === 'search_result' ? textualResult(block, path) : block;
}

function textualResult(block: Block, path: string): Block {
  refuseCitations(block, path);
  const { source, title, cache_control: mark } = block;
  const found = searchResultTexts(block).join('\n');
  const text = `<search_result source="${String(source)}" title="${String(title)}">\n${found}\n</search_result>`;
  return { type: 'text', text, ...(mark ? { cache_control: mark } : {}) };
}

/** Returns the texts of a search result. */
export function searchResultTexts({ content }: Block): string[] {
  return (content as { text: string }[]).map(({ text }) => text);
}
