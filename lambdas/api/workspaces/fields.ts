import { z } from 'zod';
import { shortText } from '../../http/fields.ts';
import { privacyField } from '../../http/privacy-field.ts';

const SLUG_RULE = 'must be 1 to 50 lower-case letters and digits, with single dashes between them';

/** Ids of workspaces are UUIDs: a slug must not look like one. */
export const slug = z
  .string({ error: SLUG_RULE })
  .max(50, SLUG_RULE)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, SLUG_RULE)
  .refine((text) => !/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text), SLUG_RULE)
  .meta({ description: 'Short name, unique in the account.', example: 'production' });

export const workspaceName = shortText(1, 100).meta({ example: 'Production' });

export const workspaceSettings = {
  description: shortText(0, 500).nullish(),
  privacy: privacyField,
};
