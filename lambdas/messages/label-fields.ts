/**
 * Labels of a request: tags, trace, session and user. No provider gets them, except for digests of the session and of
 * the end user's id. The schema of `metadata.tags` is only for the API document: admission/tags/ reads the tags before
 * the validation.
 */

import * as z from 'zod';
import { MAX_REQUEST_TAGS, tagNameRule, tagValueRule } from '../platform/tag-rules.ts';
import { optionalField, userLabel } from './field-kinds.ts';
import { sessionId } from './preferences.ts';

export const tagsMember = optionalField(
  z.union([
    z
      .record(
        z.string().max(tagNameRule.maxLength).regex(tagNameRule.pattern),
        z.string().min(1).max(tagValueRule.maxLength),
      )
      .meta({ override: { maxProperties: MAX_REQUEST_TAGS } }),
    z.string(),
    z.array(z.string()).max(MAX_REQUEST_TAGS),
  ]),
).meta({
  description:
    'Tags of the request, up to eight: an object such as `{"project": "lake"}`, a text such as `project=lake,team=core`, or a list such as `["project=lake"]`. Records and reports have them; no provider gets them. The header `x-gateway-tags` takes the same text.',
  example: { project: 'lake' },
});

/** The trace of a request. Members other than `trace_id` have no effect. */
export const traceField = optionalField(
  z.looseObject({
    trace_id: optionalField(z.string()).meta({
      description: 'The id of the trace. The record of the request has it as the tag `trace`.',
    }),
  }),
).meta({ description: 'Values of your choice for tracing; they do not change the answer.' });

export const labelFields = {
  user: userLabel,
  session_id: sessionId.meta({
    description: 'A name of your choice; it does not change the answer. The record has it as the tag `session`.',
  }),
  trace: traceField,
  metadata: optionalField(
    z.looseObject({
      user_id: optionalField(z.string()).meta({ description: 'The same as `user`, if that is not sent.' }),
      tags: tagsMember,
    }),
  ).meta({ description: 'Labels of the request. Members other than these have no effect.' }),
};
