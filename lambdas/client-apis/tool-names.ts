/**
 * Names of tools for clients of OpenAI's APIs, and for the engine, which has no namespaces. A name keeps its characters
 * here, because protection must find the client's own text in it. The wires shorten names that a provider refuses.
 */

import { createHash } from 'node:crypto';

const GROUP_SEPARATOR = '__';
const DIGEST_CHARACTERS = 8;

/** A tool as its client names it. */
export interface ClientTool {
  /** The group of the tool. Agents declare the tools of each MCP server in one group. */
  namespace?: string | undefined;
  name: string;
  /** A custom tool takes free text. A tool search is run by the client, and its result is a list of tools. */
  kind: 'function' | 'custom' | 'tool_search';
}

type ClientName = Pick<ClientTool, 'namespace' | 'name'>;

/** The tools that a request declares, by client name and by engine name. */
export class ToolNames {
  readonly #byClientName = new Map<string, string>();
  readonly #bySentName = new Map<string, ClientTool>();

  /** @param tools each tool once. If two tools would get the same name, the tool without a namespace keeps it. */
  constructor(tools: readonly ClientTool[] = []) {
    for (const hasNamespace of [false, true]) {
      for (const tool of tools) {
        if (Boolean(tool.namespace) === hasNamespace) this.#add(tool);
      }
    }
  }

  /** The engine's name of a tool. It also works for undeclared tools, because a history may name them. */
  sentName(tool: ClientName): string {
    return this.#byClientName.get(identityOf(tool)) ?? joinedName(tool);
  }

  /** The tool that a model called. A model may call an undeclared tool, which counts as a function. */
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

/** A text that is unique for each tool. */
function identityOf({ namespace, name }: ClientName): string {
  return JSON.stringify([namespace || null, name]);
}
