/**
 * Names of tools as clients of OpenAI's APIs have them, and as the Messages API does: that has no namespaces, and takes at most 128
 * letters, digits, `_` and `-`. A name that it does not take is sent as one made of it, the same in every request, and comes back as the
 * client wrote it.
 */

import { shortToolName } from '../messages/tool-names.ts';

/** Names that the Messages API takes. */
const TAKEN_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const GROUP_SEPARATOR = '__';

/** A tool as its client names it. */
export interface ClientTool {
  /** The group that the tool belongs to: agents declare the tools of each MCP server in one. */
  namespace?: string | undefined;
  name: string;
  /** The input of a custom tool is a text of any form. */
  isCustom: boolean;
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
    return this.#byClientName.get(identityOf(tool)) ?? fittingName(tool);
  }

  /** The tool that a model has called. A model may call one that nobody has declared. */
  clientTool(sentName: string): ClientTool {
    return this.#bySentName.get(sentName) ?? { name: sentName, isCustom: false };
  }

  #add(tool: ClientTool): void {
    const fitting = fittingName(tool);
    const sent = this.#bySentName.has(fitting) ? shortToolName(joinedName(tool), identityOf(tool)) : fitting;
    this.#byClientName.set(identityOf(tool), sent);
    this.#bySentName.set(sent, tool);
  }
}

function fittingName(tool: ClientName): string {
  const name = joinedName(tool);
  return TAKEN_NAME.test(name) ? name : shortToolName(name);
}

function joinedName({ namespace, name }: ClientName): string {
  return namespace ? `${namespace}${GROUP_SEPARATOR}${name}` : name;
}

/** A text that no other tool has. */
function identityOf({ namespace, name }: ClientName): string {
  return JSON.stringify([namespace || null, name]);
}
