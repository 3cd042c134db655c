import { parseArgs } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { variables } from '../../lambdas/platform/environment.ts';
import { DEFAULT_DATA } from '../shared/defaults.ts';
import { LocalState } from '../shared/data-directory/state.ts';
import { mistakeIn } from './command-line/mistakes.ts';
import { buildProgram } from './program.ts';
import { isReportedDifference } from './command-line/reported-difference.ts';

/**
 * Runs a command. Prints the operator's mistakes as sentences.
 * @param args arguments after `admin`
 * @returns the exit code
 * @throws {Error} for a bug
 */
export async function runAdmin(args: string[]): Promise<number> {
  const program = buildProgram();
  withoutExit(program);
  setLocalClock(args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the message or the help.
    if (error instanceof CommanderError) {
      process.stderr.write(placeOfOption(program, error));
      return error.exitCode;
    }
    if (isReportedDifference(error)) return 1;
    const mistake = mistakeIn(error);
    if (mistake === undefined) throw error;
    process.stderr.write(`${mistake}\n`);
    return 1;
  }
}

/** Maximum number of commands in a hint. If more commands have the option, no hint is given. */
const MAX_PLACES = 6;

/** Returns a hint about an unknown option, which may have been written before its command. */
function placeOfOption(program: Command, { code, message }: CommanderError): string {
  const name = code === 'commander.unknownOption' ? /'(--[\w-]+)/.exec(message)?.[1] : undefined;
  const places = name === undefined ? [] : commandsWith(program, name, 'admin');
  return places.length > 0 && places.length <= MAX_PLACES
    ? `Put ${name} after one of these commands: ${places.join(', ')}.\n`
    : '';
}

function commandsWith(command: Command, option: string, path: string): string[] {
  const own = command.options.some(({ long }) => long === option) ? [path] : [];
  return [...own, ...command.commands.flatMap((child) => commandsWith(child, option, `${path} ${child.name()}`))];
}

/** Sets the clock to the clock of the local gateway, before any code reads the time. */
function setLocalClock(args: string[]): void {
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

/** Makes Commander throw errors. Otherwise it would end the process, which could lose buffered output. */
function withoutExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) withoutExit(child);
}
