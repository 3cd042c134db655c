import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * Reads the arguments of a tool of this repository. For `--help`, it prints the usage, and the process exits with 0. For
 * unknown arguments, it prints the reason and the usage, and the process exits with 2.
 */
export function toolArguments<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}
