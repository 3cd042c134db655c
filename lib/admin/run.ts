import { parseArgs } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { variables } from '../../lambdas/platform/environment.ts';
import { DEFAULT_DATA } from '../local/options.ts';
import { LocalState } from '../local/state.ts';
import { mistakeIn } from './mistakes.ts';
import { buildProgram } from './program.ts';

/**
 * Runs a command, and says in a sentence what is wrong with it.
 * @param args what stands behind `admin`
 * @returns the exit code
 * @throws {Error} for a fault of ours
 */
export async function runAdmin(args: string[]): Promise<number> {
  const program = buildProgram();
  withoutExit(program);
  keepTimeOf(args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // It has said what is wrong, or what there is.
    if (error instanceof CommanderError) return error.exitCode;
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
