import { InvalidArgumentError, type Command } from 'commander';
import { setReportedTags } from '../../../lambdas/management/reported-tags.ts';
import { tagNameRule } from '../../../lambdas/management/rules.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import { MAX_REPORTED_TAGS, readTagSettings } from '../../../lambdas/store/accounts/account-tags.ts';
import type { Row } from '../../shared/output.ts';
import { onAccount, type Session } from '../session/session.ts';

export function addTagCommands(program: Command): void {
  const tags = program.command('tags').description('tags by which daily rows of the account are split');
  tags
    .command('show')
    .description('show the reported tags')
    .action(onAccount(async ({ table, accountId }) => tagsRow(await readTagSettings(table, accountId))));
  tags
    .command('set')
    .description('replace the reported tags; days that were added up before keep their rows')
    .requiredOption(
      '--reported <names>',
      `at most ${MAX_REPORTED_TAGS} names, separated by commas; "" for none`,
      parseNames,
    )
    .action(
      onAccount(async ({ changes }: Session, given: { reported: string[] }) =>
        tagsRow(await setReportedTags(changes, given)),
      ),
    );
}

function parseNames(text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (!names.every((name) => obeys(tagNameRule, name)))
    throw new InvalidArgumentError(`Each name ${tagNameRule.says}.`);
  if (names.length > MAX_REPORTED_TAGS) throw new InvalidArgumentError(`Use at most ${MAX_REPORTED_TAGS} names.`);
  return names;
}

function tagsRow({ reported }: { reported: readonly string[] }): Row {
  return { reported: reported.length === 0 ? null : reported.join(',') };
}
