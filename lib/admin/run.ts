import { parseArgs } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { variables } from '../../lambdas/platform/environment.ts';
import { DEFAULT_DATA } from '../local/options.ts';
import { LocalState } from '../local/state.ts';
import { mistakeIn } from './mistakes.ts';
import { buildProgram } from './program.ts';
import { isReportedDifference } from './reported-difference.ts';

/**
 * Runs a command. Prints a sentence for a mistake of the operator.
 * @param args arguments after `admin`
 * @returns the exit code: 1 for a mistake, and for a report with a difference. Nothing else sets it.
 * @throws {Error} for a fault of the product
 */
export async function runAdmin(args: string[]): Promise<number> {
  const program = buildProgram();
  withoutExit(program);
  keepTimeOf(args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // The message or the help is printed already.
    if (error instanceof CommanderError) return error.exitCode;
    if (isReportedDifference(error)) return 1;
    const mistake = mistakeIn(error);
    if (mistake === undefined) throw error;
    process.stderr.write(`${mistake}\n`);
    return 1;
  }
}

/** A command works at the time of the gateway that it works on: before anything reads the clock. */
function keepTimeOf(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: { data: { type: 'string', default: DEFAULT_DATA }, table: { type: 'string' } },
    strict: false,
  });
  if (values.table !== undefined) return;
  const offsetMs = LocalState.at(String(values.data)).running()?.clock_offset_ms;
  if (!offsetMs) return;
  process.env[variables.clockOffsetMs] = String(offsetMs);
  process.env[variables.local] = '1';
}

/** Output that is still on its way must not be lost by an exit. */
function withoutExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) withoutExit(child);
}
