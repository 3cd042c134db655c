import { Command, Help, type Option } from 'commander';
import { upgradeRecords } from '../shared/upgrade.ts';
import { DEFAULT_DATA } from '../shared/defaults.ts';
import { addAccountCommands } from './accounts/account-commands.ts';
import { addActivityCommand } from './requests/activity-commands.ts';
import { addAlertCommands } from './alerts/alert-commands.ts';
import { addAuditCommand } from './requests/audit-commands.ts';
import { addBooksCommands } from './books/books-commands.ts';
import { addBudgetCommands } from './accounts/budget-commands.ts';
import { addTagCommands } from './accounts/tag-commands.ts';
import { addCatalogCommands } from './catalog/catalog-commands.ts';
import { addClientCommand } from './clients/client-commands.ts';
import { addCounterCommands } from './counters/counter-commands.ts';
import { addFreeCommand } from './accounts/free-commands.ts';
import { addGenerationCommands } from './requests/generation-commands.ts';
import { addInvoiceCommand } from './provider-costs/invoice-commands.ts';
import { addKeyCommands } from './accounts/key-commands.ts';
import { addMarginCommand } from './provider-costs/margin-commands.ts';
import { addMemberCommands } from './accounts/member-commands.ts';
import { addPaperCommands } from './closing-documents/paper-commands.ts';
import { addProviderCommand } from './catalog/provider-commands.ts';
import { addReconcileCommand } from './books/reconcile-commands.ts';
import { addStatementCommand } from './reports/statement-commands.ts';
import { addVerifyCommand } from './seals/verify-commands.ts';
import type { Row } from '../shared/output.ts';
import { onTable, type TableSession } from './session/session.ts';
import { addWorkspaceCommands } from './accounts/workspace-commands.ts';
import { addWhatIfCommand } from './provider-costs/what-if-commands.ts';

export function buildProgram(): Command {
  const program = new Command('admin')
    .description('Accounts, workspaces, members, keys, budgets and top-ups of a gateway.')
    .usage('<group> <command> [options]   (npm run admin -- <group> <command> [options])')
    .option('--json', 'print JSON for programs', false)
    .option('--data <dir>', 'data directory of a local gateway', DEFAULT_DATA)
    .option('--table <name>', 'table of a deployment on AWS, with your own AWS credentials')
    .option(
      '--pepper-secret <arn>',
      'secret of that deployment with which keys are hashed; required to create keys and for callback secrets',
    )
    .option('--account <id>', 'account to work on (default: the account of the local gateway)')
    .configureHelp({ optionDescription: (option) => described(option), showGlobalOptions: true })
    .showHelpAfterError('(--help lists the commands and options)');
  addAccountCommands(program);
  addWorkspaceCommands(program);
  addMemberCommands(program);
  addKeyCommands(program);
  addBudgetCommands(program);
  addTagCommands(program);
  addAlertCommands(program);
  addActivityCommand(program);
  addStatementCommand(program);
  addReconcileCommand(program);
  addVerifyCommand(program);
  addBooksCommands(program);
  addPaperCommands(program);
  addMarginCommand(program);
  addWhatIfCommand(program);
  addInvoiceCommand(program);
  addGenerationCommands(program);
  addAuditCommand(program);
  addFreeCommand(program);
  addCounterCommands(program);
  program
    .command('upgrade')
    .description('upgrade records of earlier versions; run it after each deployment; may be repeated')
    .action(onTable(upgrade));
  addCatalogCommands(program);
  addProviderCommand(program);
  addClientCommand(program);
  showCommandsAfterMistakes(program);
  return program;
}

async function upgrade({ table }: TableSession): Promise<Row> {
  const { version, changed } = await upgradeRecords(table);
  return { version, records_changed: changed };
}

function described(option: Option): string {
  const usual = new Help().optionDescription(option);
  return option.mandatory ? `${usual} (required)`.trimStart() : usual;
}

/** Makes a misspelled command print the commands of its group. */
function showCommandsAfterMistakes(command: Command): void {
  if (command.commands.length === 0) return;
  command.showHelpAfterError(true);
  for (const child of command.commands) showCommandsAfterMistakes(child);
}
