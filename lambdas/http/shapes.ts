/**
 * A shape is both the documentation and the type of a response. Code that omits or misspells a field does not compile.
 * Runtime code imports only the types.
 */

import * as z from 'zod';
import type { Money } from '../money/money.ts';

export const time = z.iso.datetime({ offset: true });
export const uuid = z.uuid();
/** An amount in roubles, as a JSON number with all its digits. */
export const rub = z
  .number()
  .meta({ description: 'An amount of roubles, with all of its digits.' }) as unknown as z.ZodType<Money>;
export const rubText = z.string().regex(/^\d+(\.\d{1,12})?$/);
export const tagsShape = z
  .record(z.string(), z.string())
  .meta({ description: 'Names and values of the account’s own for reports, such as `{"project": "search"}`.' });
export const countShape = z.int().nonnegative();
export const nothing = z.null().meta({
  description: 'Always null: clients of OpenRouter’s API read this field, and this gateway has no value for it.',
});

/**
 * Returns the shapes of fields with constant values: fields of OpenRouter's API for features that this gateway does not
 * have.
 */
export function constants<const Values extends Record<string, string | number | boolean | null>>(
  values: Values,
): { [Name in keyof Values]: z.ZodType<Values[Name]> } {
  const shapes = Object.entries(values).map(([name, value]) => [
    name,
    value === null
      ? nothing
      : z.literal(value).meta({
          description: `Always \`${JSON.stringify(value)}\`. Clients of OpenRouter’s API read this field; this gateway has no other value for it.`,
        }),
  ]);
  return Object.fromEntries(shapes) as ReturnType<typeof constants<Values>>;
}

export const dataShape = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({ data: shape.meta({ description: 'The requested resource, or the list of resources.' }) });
export const listShape = <Shape extends z.ZodType>(shape: Shape) =>
  z.strictObject({
    data: z.array(shape).meta({ description: 'The requested resource, or the list of resources.' }),
    total_count: countShape.meta({ description: 'The number of entries on all pages together.' }),
  });

export const deletedAnswer = z.strictObject({ deleted: z.literal(true) });
export type DeletedAnswer = z.output<typeof deletedAnswer>;

const roublesShape = (description: string) =>
  z
    .string()
    .optional()
    .meta({ description: `${description}, in RUB.` });

/** Details in an error about a limit, for programs. */
const limitDetails = {
  limit_source: z
    .enum([
      'key_limit',
      'workspace_budget',
      'member_budget',
      'account_balance',
      'account_limit',
      'tag_budget',
      'free_requests_per_minute',
      'free_daily_requests',
      'free_daily_requests_of_address',
      'free_daily_budget',
      'key_requests_per_minute',
      'key_tokens_per_minute',
      'key_parallel_requests',
      'allowed_models',
      'allowed_networks',
      'required_tags',
    ])
    .optional()
    .meta({
      description:
        'The limit that refused the request: that of the key, the workspace, the member, a tag or the account (a balance is money that was paid in, a limit the credit of an account that pays later), one of the limits of free models, or a limit on the use of the key.',
    }),
  limit_tag: z
    .string()
    .optional()
    .meta({ description: 'The tag whose budget refused the request, for example `project=lake`.' }),
  interval: z.string().optional().meta({ description: 'The period of the limit: lifetime, daily, weekly or monthly.' }),
  limit_rub: roublesShape('The limit that refused the request'),
  spend_rub: roublesShape('The part of the limit that is spent'),
  held_rub: roublesShape(
    'The part of the limit that is held (set aside) for running requests, most of which comes back',
  ),
  remaining_rub: roublesShape('The part of the limit that is left'),
  required_rub: roublesShape(
    'The money that would have been held (set aside) before the request was sent; the whole request may cost more. An upper bound if `prompt_counted` is false',
  ),
  required_input_rub: roublesShape('The part of `required_rub` that its prompt costs'),
  required_output_rub: roublesShape('The part of `required_rub` that is for the answer'),
  prompt_counted: z.boolean().optional().meta({
    description:
      'False if the prompt was not counted, because the limit has no room for any answer: then the amounts are upper bounds by its bytes, several times what it costs.',
  }),
  affordable_max_tokens: z
    .int()
    .optional()
    .meta({ description: 'The highest `max_tokens` with which the request would fit.' }),
  allowed_max_tokens: z.int().optional().meta({
    description: 'The most tokens for which the limit had room; only in the `metadata` of an answer that ended there.',
  }),
  resets_at: z.string().nullish().meta({ description: 'The time at which the period of the limit starts anew.' }),
};

/** Reason why the gateway ended an answer early, such as a spending limit, the time, or an unreadable tool call. */
export const earlyEndShape = z
  .looseObject({
    error_type: z
      .string()
      .meta({ description: 'The kind of the cause, as errors name it, such as `payment_required`.' }),
    message: z.string().meta({ description: 'An explanation for people: why the answer ends, and what to do.' }),
    ...limitDetails,
  })
  .optional()
  .meta({
    description:
      'Why the gateway ended the answer before its own end: a limit on spending, the time, or a call whose arguments could not be read. Absent in most answers.',
  });

export const refusedAmountsShape = z
  .strictObject({
    interval: z.string().meta({ description: 'The period of the limit: lifetime, daily, weekly or monthly.' }),
    limit_rub: z.string().meta({ description: 'The most that might be spent in the period, in RUB.' }),
    spend_rub: z.string().meta({ description: 'The part of the limit that was spent, in RUB.' }),
    held_rub: z.string().meta({ description: 'The part of the limit that was held for other requests, in RUB.' }),
    remaining_rub: z.string().meta({ description: 'The part of the limit that was left, in RUB.' }),
    required_rub: z
      .string()
      .meta({ description: 'The money that would have been held (set aside) for the request, in RUB.' }),
  })
  .nullable()
  .meta({
    description:
      'The amounts of the limit when it refused the request, as in the refusal (402). Null if no limit in roubles refused the request, or if its amounts were not stored.',
  });

export const errorShape = z
  .strictObject({
    type: z.literal('error'),
    error: z
      .strictObject({
        type: z.string().meta({
          description: 'The type of the error as the Messages API names it, such as `invalid_request_error`.',
        }),
        code: z.int().meta({ description: 'The HTTP status of the answer.' }),
        message: z
          .string()
          .meta({ description: 'An explanation for people: the cause, the allowed values, and what to do.' }),
        param: z.string().nullable().meta({
          description: 'The same as `metadata.field`, for clients of OpenAI’s APIs; `null` without one.',
        }),
        details: z.looseObject({}).optional().meta({
          description:
            'More values for clients of the Messages API, such as `error_code`; other clients read `metadata`.',
        }),
        metadata: z
          .looseObject({
            error_type: z.string().meta({ description: 'The kind of the error, as a name that does not change.' }),
            field: z
              .string()
              .optional()
              .meta({ description: 'The path of the field that is wrong, such as `messages.0.role`.' }),
            ...limitDetails,
            refusal: z
              .strictObject({
                status: z.int().meta({ description: 'The HTTP status of the refusal.' }),
                error_type: z.string().meta({ description: 'The kind of the error, as a name that does not change.' }),
                field: z.string().nullable().meta({ description: 'The field of the request that was at fault.' }),
                limit_source: z
                  .string()
                  .nullable()
                  .meta({ description: 'The kind of the limit that refused the request; null if none did.' }),
                amounts: refusedAmountsShape,
                model: z.string().nullable().meta({ description: 'The id of the requested model.' }),
                created_at: time.meta({ description: 'The time at which the request was refused.' }),
              })
              .optional()
              .meta({ description: 'The refusal of the request whose id `GET /generation` got.' }),
            excluded_by: z.array(z.string()).optional().meta({
              description:
                'The reasons why no provider of the model may get the request: names of privacy settings and of fields of `provider`, such as `data_policy:logging` or `only`. The field `excluded[].reason` of an estimate explains them.',
            }),
          })
          .meta({ description: 'Stable values for programs: error_type, the field, and what belongs to the refusal.' }),
      })
      .meta({ description: 'The error, for people and for programs.' }),
    request_id: z.string().meta({ description: 'The id of the request. Send it to the operator if you need help.' }),
    detail: z
      .strictObject({
        status: z.string().meta({ description: 'The kind of the error, as in `metadata.error_type`.' }),
        message: z.string().meta({ description: 'The explanation of the error, as in `error.message`.' }),
        param: z.string().optional().meta({ description: 'The field that is wrong, as in `metadata.field`.' }),
      })
      .optional()
      .meta({ description: 'The error for clients of ElevenLabs’ API; only routes of that API have it.' }),
  })
  .meta({ id: 'Error' });
