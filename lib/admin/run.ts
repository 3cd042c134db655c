import { CommanderError, type Command } from 'commander';
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

/** Output that is still on its way must not be lost by an exit. */
function withoutExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) withoutExit(child);
}
