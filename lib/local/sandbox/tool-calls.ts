import { withoutDirectives, type Directives } from './directives.ts';
import { exampleObject } from './example.ts';
import type { SandboxPrompt, SandboxTool } from './prompt.ts';

export interface ToolCall {
  kind: 'tool';
  name: string;
  pieces: string[];
}

export const SEARCH = 'web_search';
const MAX_QUERY_CHARACTERS = 200;

export function toolCalls(prompt: SandboxPrompt, directives: Directives): ToolCall[] {
  const search = prompt.tools.find(isSearch);
  const others = prompt.tools.filter((tool) => tool !== search);
  const queries = search ? queriesOf(prompt, directives, others.length > 0) : [];
  return [
    ...queries.map((query, index) => callOf(search!, index, { query })),
    ...(prompt.answersTool ? [] : callsOf(others, prompt, directives, queries.length > 0)),
  ];
}

function isSearch({ name, schema }: SandboxTool): boolean {
  return name === SEARCH && schema?.properties?.['query'] !== undefined;
}

function queriesOf(prompt: SandboxPrompt, directives: Directives, hasOthers: boolean): string[] {
  const userText = withoutDirectives(prompt.lastUserText).replace(/\s+/gu, ' ').trim();
  const query = userText.slice(0, MAX_QUERY_CHARACTERS).toWellFormed() || 'the sandbox';
  const numbered = (number: number) => (number === 1 ? query : `${query} ${number}`);
  if (prompt.answersTool) {
    const made = prompt.results.filter(({ name }) => name === SEARCH).length;
    return made > 0 && made < directives.searchRounds ? [numbered(made + 1)] : [];
  }
  const count = searchesAtOnce(prompt, directives, hasOthers);
  return Array.from({ length: count }, (_, index) => numbered(index + 1));
}

function searchesAtOnce(prompt: SandboxPrompt, directives: Directives, hasOthers: boolean): number {
  const { searches, searchRounds, tools, tokens, refuse } = directives;
  if (searches !== undefined) return searches;
  if (searchRounds > 0) return 1;
  if (hasOthers) return 0;
  if (tools > 0) return tools;
  // If search is the only tool, the sandbox searches once. A directive for text or a refusal prevents this search,
  // unless the request requires a tool.
  return prompt.toolRequired || (tokens === undefined && !refuse) ? 1 : 0;
}

/** Returns as many calls as the directive or the request requires, with the tools in turn. */
function callsOf(
  tools: SandboxTool[],
  { toolRequired }: SandboxPrompt,
  directives: Directives,
  isSearching: boolean,
): ToolCall[] {
  if (tools.length === 0) return [];
  const count = directives.tools || (toolRequired && !isSearching ? 1 : 0);
  return Array.from({ length: count }, (_, index) => callOf(tools[index % tools.length]!, index));
}

function callOf({ name, schema }: SandboxTool, index: number, known: object = {}): ToolCall {
  const input = { ...exampleObject(schema ?? {}, index), ...known };
  const json = Object.keys(input).length === 0 ? '' : JSON.stringify(input);
  return { kind: 'tool', name, pieces: json.match(/[\s\S]{1,8}/gu) ?? [] };
}
