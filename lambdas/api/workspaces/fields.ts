import { textField } from '../../http/fields.ts';
import { privacySettings } from '../../http/privacy-field.ts';
import { descriptionRule, nameRule, slugRule } from '../../management/rules.ts';
import { useLimitFieldsFor } from '../parts/use-limit-fields.ts';

export const slugField = textField(slugRule).meta({
  description: 'A short name that is unique in the account.',
  example: 'production',
});

export const workspaceName = textField(nameRule).meta({ example: 'Production' });

export const workspaceSettings = {
  description: textField(descriptionRule)
    .nullish()
    .meta({ description: 'A description for people; nothing depends on it.' }),
  ...useLimitFieldsFor('each key of the workspace'),
  privacy: privacySettings,
};
