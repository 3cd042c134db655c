import * as z from 'zod';
import { supportedBlocks } from '../../lambdas/messages/blocks.ts';

/** Types of content blocks that the gateway always refuses. */
const REFUSED = new Set(['container_upload']);

/** Schemas of content blocks by component name, for example `ToolUseBlock`. */
export const blockShapes: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  [...supportedBlocks]
    .filter(([type]) => !REFUSED.has(type))
    .map(([type, shape]) => [blockComponentName(type), z.looseObject({ type: z.literal(type), ...shape.shape })]),
);

function blockComponentName(type: string): string {
  const words = type.split('_').map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Block`;
}

/** A block of a type that the gateway checks, or of another type, which only the model's provider may support. */
export const contentBlock = {
  anyOf: [
    ...Object.keys(blockShapes).map((name) => ({ $ref: `#/components/schemas/${name}` })),
    {
      type: 'object',
      properties: {
        type: {
          type: 'string',
          description:
            'The type of a block that this document does not describe. The gateway passes it on, and the provider checks its other fields.',
        },
      },
      required: ['type'],
    },
  ],
};
