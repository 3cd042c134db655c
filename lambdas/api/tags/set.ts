import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { textField } from '../../http/fields.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { setReportedTags } from '../../management/reported-tags.ts';
import { tagNameRule } from '../../management/rules.ts';
import { resources } from '../../resources.ts';
import { MAX_REPORTED_TAGS } from '../../store/accounts/account-tags.ts';
import type { TagSettingsAnswer } from './shape.ts';

export const accepts = {
  body: z.strictObject({
    reported: z
      .array(textField(tagNameRule))
      .max(MAX_REPORTED_TAGS, `must be at most ${MAX_REPORTED_TAGS} names`)
      .refine((names) => new Set(names).size === names.length, 'must not have a name twice')
      .meta({
        description:
          'Names of the tags by which daily rows are split, replacing all earlier ones. They apply to days that are added up afterwards.',
        example: ['project', 'team'],
      }),
  }),
};

export const handler = defineEndpoint('set-tags', accepts, async ({ body, caller, request }) => {
  const { reported, version } = await setReportedTags(changesOf(resources.table(), caller, request.id), {
    reported: body.reported,
    expected: expectedVersion(request),
  });
  return jsonResponse<TagSettingsAnswer>(200, { data: { reported: [...reported] } }, etag(version));
});
