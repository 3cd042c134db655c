/**
 * Converts tool names between OpenAI's APIs and the Messages API, which has no namespaces. No characters of a name are
 * replaced here, because names are searched for sensitive data later.
 */

import { createHash } from 'node:crypto';

const GROUP_SEPARATOR = '__';
const DIGEST_CHARACTERS = 8;

export interface ClientTool {
  /** Group of the tool. Some agents declare the tools of each MCP server in one group. */
  namespace?: string | undefined;
  name: string;
  /** A custom tool gets free text. A tool search is run by the client, and its result is a list of tools. */
  kind: 'function' | 'custom' | 'tool_search';
  /** Whether the client expects arguments that only OpenAI can encrypt, so that calls must say that they are plain. */
  expectsEncrypted?: boolean;
}

type ClientName = Pick<ClientTool, 'namespace' | 'name'>;

/** Tools of a request, by the client's name and by the name that the model gets. */
export class ToolNames {
  readonly #byClientName = new Map<string, string>();
  readonly #bySentName = new Map<string, ClientTool>();

  /**
   * If two tools would get the same name for the model, the tool without a namespace, or otherwise the first tool,
   * keeps the name.
   */
  constructor(tools: readonly ClientTool[] = []) {
    for (const hasNamespace of [false, true]) {
      for (const tool of tools) {
        if (Boolean(tool.namespace) === hasNamespace) this.#add(tool);
      }
    }
  }

  /** Returns a tool's name for the model, also for undeclared tools: earlier turns may contain calls of them. */
  sentName(tool: ClientName): string {
    return this.#byClientName.get(identityOf(tool)) ?? joinedName(tool);
  }

  /** Returns the tool that a model called. An undeclared tool counts as a function. */
  clientTool(sentName: string): ClientTool {
    return this.#bySentName.get(sentName) ?? { name: sentName, kind: 'function' };
  }

  #add(tool: ClientTool): void {
    const joined = joinedName(tool);
    const sent = this.#bySentName.has(joined) ? `${joined}_${digestOf(identityOf(tool))}` : joined;
    this.#byClientName.set(identityOf(tool), sent);
    this.#bySentName.set(sent, tool);
  }
}

function joinedName({ namespace, name }: ClientName): string {
  return namespace ? `${namespace}${GROUP_SEPARATOR}${name}` : name;
}

function digestOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** Returns a text that is unique for each tool. */
function identityOf({ namespace, name }: ClientName): string {
  return JSON.stringify([namespace || null, name]);
}
