/**
 * Names of tools as clients of OpenAI's APIs have them, and as the engine does, which has no namespaces. A name keeps its characters here,
 * because protection has to find in it what the client wrote; the wires shorten names that a provider does not take.
 */

import { createHash } from 'node:crypto';

const GROUP_SEPARATOR = '__';
const DIGEST_CHARACTERS = 8;

/** A tool as its client names it. */
export interface ClientTool {
  /** The group that the tool belongs to: agents declare the tools of each MCP server in one. */
  namespace?: string | undefined;
  name: string;
  /** A custom tool takes a text of any form. A tool search is run by the client, which answers it with tools. */
  kind: 'function' | 'custom' | 'tool_search';
}

type ClientName = Pick<ClientTool, 'namespace' | 'name'>;

/** The tools that a request declares, by both of their names. */
export class ToolNames {
  readonly #byClientName = new Map<string, string>();
  readonly #bySentName = new Map<string, ClientTool>();

  /** @param tools none twice. A tool without a namespace keeps its name where one with a namespace would have the same. */
  constructor(tools: readonly ClientTool[] = []) {
    for (const hasNamespace of [false, true]) {
      for (const tool of tools) {
        if (Boolean(tool.namespace) === hasNamespace) this.#add(tool);
      }
    }
  }

  /** The name under which the engine has a tool, declared or not: a history may name others. */
  sentName(tool: ClientName): string {
    return this.#byClientName.get(identityOf(tool)) ?? joinedName(tool);
  }

  /** The tool that a model has called. A model may call one that nobody has declared. */
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

/** A text that no other tool has. */
function identityOf({ namespace, name }: ClientName): string {
  return JSON.stringify([namespace || null, name]);
}
