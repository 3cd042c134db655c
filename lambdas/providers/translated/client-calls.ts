import type { MessagesRequest } from '../../messages/types.ts';
import { uniqueCallIds } from './call-ids.ts';
import { changedNames, type ToolNameRule } from './tool-names.ts';

/**
 * Matches additions of models to tool names: namespaces of their prompt format (such as `default_api.` of Gemini,
 * `functions.` of gpt-oss and Kimi), numbers of calls, and prompt tokens that a server did not remove.
 */
const ADDED_BEFORE = /^(?:functions|default_api|tools)[.:]/;
const ADDED_AFTER = /(?:<\|.*|:\d+)$/;

/**
 * Converts the tool calls of an answer for the client: each call gets a unique id, and the client's own name for the
 * tool.
 */
export class ClientCalls {
  readonly #request: MessagesRequest;
  readonly #rule: ToolNameRule;
  readonly #uniqueId: ReturnType<typeof uniqueCallIds>;
  #names: ReadonlyMap<string, string> | undefined;

  constructor(request: MessagesRequest, rule: ToolNameRule) {
    this.#request = request;
    this.#rule = rule;
    this.#uniqueId = uniqueCallIds(request);
  }

  /** Whether the client allows at most one call. */
  get isSingle(): boolean {
    return this.#request.tool_choice?.disable_parallel_tool_use === true;
  }

  /** Returns the call's id for the client, which is the same for all pieces of one call. */
  idOf(id: string, index: number | undefined): string {
    return this.#uniqueId(id, index);
  }

  /**
   * Returns the client's own name for a tool name that the model sent. Some models add text before or after the name:
   * it is removed if no tool has the received name, and a tool has the remaining name.
   */
  nameOf(sent: string): string {
    this.#names ??= changedNames(this.#request, this.#rule);
    const names = this.#names;
    const isDeclared = (name: string) => names.has(name) || this.#request.tools?.some((tool) => tool.name === name);
    if (isDeclared(sent)) return names.get(sent) ?? sent;
    const bare = sent.replace(ADDED_AFTER, '').replace(ADDED_BEFORE, '');
    return isDeclared(bare) ? (names.get(bare) ?? bare) : sent;
  }
}
