/** Models in the format of the Messages API, for the API document. */

import * as z from 'zod';
import { time } from '../../http/shapes.ts';

const support = z
  .strictObject({
    supported: z.boolean().meta({ description: 'Whether it is supported; false if that is not known.' }),
  })
  .meta({
    id: 'CapabilitySupport',
    description: 'Whether a feature is supported; false if the catalog does not know.',
  });

const capabilitiesShape = z
  .strictObject({
    batch: support,
    citations: support,
    code_execution: support,
    context_management: z
      .strictObject({
        supported: z.boolean().meta({ description: 'Whether it is supported; false if that is not known.' }),
        clear_thinking_20251015: support
          .nullable()
          .meta({ description: 'Whether old thinking can be left out; null if that is not known.' }),
        clear_tool_uses_20250919: support
          .nullable()
          .meta({ description: 'Whether old results of tools can be left out; null if that is not known.' }),
        compact_20260112: support
          .nullable()
          .meta({ description: 'Whether old parts can be summarized by the model; null if that is not known.' }),
      })
      .meta({ description: 'Whether old parts of a conversation can be left out.' }),
    effort: z
      .strictObject({
        supported: z.boolean().meta({ description: 'Whether it is supported; false if that is not known.' }),
        low: support,
        medium: support,
        high: support,
        xhigh: support
          .nullable()
          .meta({ description: 'Whether the effort `xhigh` is supported; null if that is not known.' }),
        max: support,
      })
      .meta({ description: 'Whether the model supports `output_config.effort`.' }),
    image_input: support,
    pdf_input: support,
    server_tools: z
      .strictObject({
        supported: z.boolean().meta({ description: 'Whether it is supported; false if that is not known.' }),
        code_execution: support,
        web_search: support,
      })
      .meta({ description: 'The tools that are run on the server and not by the client.' }),
    structured_outputs: support,
    thinking: z
      .strictObject({
        supported: z.boolean().meta({ description: 'Whether it is supported; false if that is not known.' }),
        types: z
          .strictObject({ adaptive: support, between_tools: support, disabled: support, enabled: support })
          .meta({ description: 'The values of `thinking.type` that the model supports.' }),
      })
      .meta({ description: 'Whether the model can think before it answers.' }),
  })
  .meta({
    id: 'ModelCapabilities',
    description: 'The capabilities of the model.',
  });
export type CapabilitiesBody = z.output<typeof capabilitiesShape>;

export const messagesModelAnswer = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the model, which requests send as `model`.' }),
    type: z.literal('model'),
    display_name: z.string().meta({ description: 'The name of the model for people.' }),
    created_at: time.meta({ description: 'The time at which the model was published.' }),
    max_input_tokens: z.int().nullable().meta({ description: 'The most tokens that a prompt may have.' }),
    max_tokens: z.int().nullable().meta({ description: 'The most tokens that an answer may have.' }),
    capabilities: capabilitiesShape,
    lifecycle: z
      .literal('active')
      .meta({ description: 'Always `active`, because the list has no models that are deprecated or retired.' }),
    deprecated_at: z.null().meta({ description: 'Always null: no model of the list is deprecated.' }),
    retires_at: z.null().meta({ description: 'Always null: no end of a model is known here.' }),
    line: z.null().meta({ description: 'Always null: the catalog does not group models into lines.' }),
  })
  .meta({ id: 'MessagesModel', description: 'A model as the Messages API shows it.' });
export type MessagesModelAnswer = z.output<typeof messagesModelAnswer>;

export const messagesModelListAnswer = z
  .strictObject({
    data: z.array(messagesModelAnswer).meta({ description: 'The requested resource, or the list of resources.' }),
    has_more: z
      .boolean()
      .meta({ description: 'Whether there are more models: after this page, or before it if `before_id` was sent.' }),
    first_id: z
      .string()
      .nullable()
      .meta({ description: 'The id of the first model on this page; pass it as `before_id` to get the page before.' }),
    last_id: z
      .string()
      .nullable()
      .meta({ description: 'The id of the last model on this page; pass it as `after_id` to get the next page.' }),
  })
  .meta({ id: 'MessagesModelList', description: 'A list of models as the Messages API shows it.' });
export type MessagesModelListAnswer = z.output<typeof messagesModelListAnswer>;
