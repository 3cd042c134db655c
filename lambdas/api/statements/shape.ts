import * as z from 'zod';
import { countShape, dataShape, rub, tagsShape, uuid } from '../../http/shapes.ts';
import { reportedTagsShape } from '../parts/shape.ts';
import { balanceEntryKinds } from '../../store/accounts/accounts.ts';

const sums = {
  requests: countShape.meta({ description: 'The number of requests that were completed or charged.' }),
  prompt_tokens: countShape.meta({
    description: 'All tokens of the prompts, including those that were read from a cache or written to it.',
  }),
  completion_tokens: countShape.meta({ description: 'All tokens of the answers, thinking included.' }),
  reasoning_tokens: countShape.meta({ description: 'The part of `completion_tokens` that is thinking.' }),
  usage: rub.meta({ description: 'The exact amount in RUB that the requests cost.' }),
  cache_saved_rub: rub.meta({
    description:
      'The money that reading cached prompts saved, minus the cost of writing caches, in RUB; negative if writing cost more.',
  }),
};

const rowShape = z
  .strictObject({
    model: z.string().meta({ description: 'The id of the model that answered.' }),
    workspace_id: uuid
      .optional()
      .meta({ description: 'The id of the workspace, with `group_by=workspace` or `member`.' }),
    workspace_slug: z.string().optional().meta({ description: 'The slug of that workspace.' }),
    api_key_hash: z.string().optional().meta({ description: 'The hash of the key, with `group_by=key`.' }),
    api_key_name: z.string().optional().meta({ description: 'The name of that key, which may be deleted.' }),
    api_key_tags: tagsShape.optional().meta({ description: 'The tags that this key has now.' }),
    user_id: z
      .string()
      .nullish()
      .meta({ description: 'The id of the member, with `group_by=member`; null for requests of no member.' }),
    tags: reportedTagsShape.optional(),
    ...sums,
  })
  .meta({ id: 'StatementRow' });

const statementShape = z
  .strictObject({
    account_id: uuid.meta({ description: 'The id of the account.' }),
    account_name: z.string().meta({ description: 'The name of the account.' }),
    currency: z.literal('RUB'),
    from: z.iso.date().meta({ description: 'The first day of the month.' }),
    to: z.iso.date().meta({ description: 'The last day of the month.' }),
    zone: z.literal('UTC').meta({ description: 'The time zone of the days, which is always UTC.' }),
    closed: z
      .boolean()
      .meta({ description: 'Whether every day of the month is over and added up, so that the sums are final.' }),
    closed_days: countShape.meta({ description: 'The number of days that are over and added up in the statement.' }),
    rows: z.array(rowShape).meta({ description: 'The spending of the month, by model and by what `group_by` names.' }),
    total: z.strictObject(sums).meta({ description: 'The sum of all rows of the statement.' }),
    counted_usage: rub.nullable().meta({
      description:
        'The spending of the month, counted a second time and apart from the records, in RUB; it should equal `total.usage`. It is there only while `closed` is true and the counter still has the month (at least two days after its end), and null otherwise.',
    }),
    proven: z.boolean().nullable().meta({
      description: 'Whether `counted_usage` and `total.usage` are equal; null if `counted_usage` is null.',
    }),
    payments: z
      .array(
        z.strictObject({
          created_at: z.iso.datetime().meta({ description: 'The time at which the payment was booked.' }),
          kind: z
            .enum(balanceEntryKinds)
            .meta({ description: 'Whether money was paid in, given back, or the account was adjusted.' }),
          reference: z.string().meta({ description: 'The reference under which the payment was booked.' }),
          amount: rub.meta({ description: 'The amount in RUB; it is negative if it lowers the balance.' }),
          note: z
            .string()
            .nullable()
            .meta({ description: 'The purpose of the payment, or the reason of the adjustment.' }),
        }),
      )
      .meta({ description: 'Payments of the month, oldest first.' }),
    balance: z
      .strictObject({
        opening: rub.meta({ description: 'The money that was left at the beginning of the month, in RUB.' }),
        paid_in: rub.meta({ description: 'The money that was paid in, in RUB.' }),
        given_back: rub.meta({ description: 'The money that was given back, in RUB.' }),
        adjusted: rub.meta({
          description: 'The money that adjustments added, in RUB; negative if they removed money.',
        }),
        spent: rub.meta({ description: 'The money that requests of the closed days cost, in RUB.' }),
        closing: rub.meta({ description: 'The balance after these amounts, in RUB.' }),
      })
      .nullable()
      .meta({
        description:
          'The balance of a prepaid account, from the beginning of the month to its end; null for a postpaid account.',
      }),
    sealed_days: z
      .array(
        z.strictObject({
          date: z.iso.date().meta({ description: 'The day whose charges and payments are sealed.' }),
          statement: z
            .string()
            .meta({ description: 'The statement of the day, as it was signed: JSON, with the hashes of its files.' }),
          sha256: z.string().meta({ description: 'The SHA-256 of the statement in hexadecimal.' }),
          signature: z
            .string()
            .meta({ description: 'The signature of the statement: ECDSA over P-256 with SHA-256, in DER, as Base64.' }),
          key_id: z.string().meta({ description: 'The name of the key that has signed the statement.' }),
        }),
      )
      .meta({
        description:
          'The sealed days of the month (their charges and payments are signed), oldest first. A day without charges and payments is not listed.',
      }),
  })
  .meta({ id: 'Statement' });
export type StatementBody = z.output<typeof statementShape>;

export const statementAnswer = dataShape(statementShape);
export type StatementAnswer = z.output<typeof statementAnswer>;
