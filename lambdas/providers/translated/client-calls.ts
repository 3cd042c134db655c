import type { MessagesRequest } from '../../messages/types.ts';
import { uniqueCallIds } from './call-ids.ts';
import { changedNames, type ToolNameRule } from './tool-names.ts';

/**
 * Patterns of additions to tool names. Some models add namespaces of their prompt format (Gemini, gpt-oss, Kimi),
 * numbers, prompt tokens or white space.
 */
const ADDED_BEFORE = /^(?:functions|default_api|tools)[.:]/;
const ADDED_AFTER = /(?:<\|.*|:\d+)$/;

/** Converts calls for the client: unique ids, and the client's own names of tools. */
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

  /** Returns the client's own name of a tool. A model's addition is removed if only the rest is the name of a tool. */
  nameOf(sent: string): string {
    const declared = this.#declaredNames();
    const bare = sent.trim().replace(ADDED_AFTER, '').replace(ADDED_BEFORE, '');
    return declared.get(sent) ?? declared.get(bare) ?? sent;
  }

  /** Returns the names of tools that begin with a piece of a name. */
  namesFrom(piece: string): string[] {
    return [...this.#declaredNames().keys()].filter((name) => name.startsWith(piece));
  }

  /** Returns the client's own name of each tool, by this name and by the name that the provider gets. */
  #declaredNames(): ReadonlyMap<string, string> {
    this.#names ??= new Map([
      ...(this.#request.tools ?? []).map(({ name }) => [name, name] as const),
      ...changedNames(this.#request, this.#rule),
    ]);
    return this.#names;
  }
}
