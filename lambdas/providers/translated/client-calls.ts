import type { MessagesRequest } from '../../messages/types.ts';
import { uniqueCallIds } from './call-ids.ts';
import { changedNames, type ToolNameRule } from './tool-names.ts';

/**
 * Converts tool calls of an answer for the client. Each call gets a unique id, and the client's own name of the tool.
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

  /** Returns the id for the client, which is the same for all pieces of one call. */
  idOf(id: string, index: number | undefined): string {
    return this.#uniqueId(id, index);
  }

  nameOf(sent: string): string {
    this.#names ??= changedNames(this.#request, this.#rule);
    return this.#names.get(sent) ?? sent;
  }
}
