import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { readTool, refuseChoiceWithoutTools } from '../translated/tools.ts';
import { geminiSchema } from './schema.ts';

/** Tools of a Messages request, and which of them must be called, in Gemini's words. */
export function geminiToolFields({ tools, tool_choice: choice }: MessagesRequest): Record<string, unknown> {
  if (!tools?.length) {
    refuseChoiceWithoutTools(choice);
    return {};
  }
  const config = callingConfig(choice, tools);
  return {
    tools: [{ functionDeclarations: tools.map(declaration) }],
    ...(config ? { toolConfig: { functionCallingConfig: config } } : {}),
  };
}

function declaration(tool: Tool, index: number): unknown {
  const { name, description, schema } = readTool(tool, index);
  return { name, ...(description === '' ? {} : { description }), parametersJsonSchema: geminiSchema(schema) };
}

/** Calls that must be made keep to their schemas anyway; of others, only VALIDATED ones do. */
function callingConfig(choice: MessagesRequest['tool_choice'], tools: Tool[]): Record<string, unknown> | undefined {
  switch (choice?.type) {
    case 'any':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'none':
      return { mode: 'NONE' };
    default:
      return tools.some(({ strict }) => strict === true) ? { mode: 'VALIDATED' } : undefined;
  }
}
