import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { once } from '../../lambdas/platform/concurrency/once.ts';

interface Parser {
  validate(sql: string): { message: string; startLine: number }[];
}

/** Bundles the published parser, which imports folders without naming their index files: Node does not support that. */
const parser = once(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve('dt-sql-parser/dist/parser/trino/index.js'))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`;
  const { TrinoSQL } = (await import(/* @vite-ignore */ url)) as { TrinoSQL: new () => Parser };
  return new TrinoSQL();
});

/** Returns the mistakes that Trino's grammar finds in a statement. */
export async function trinoMistakes(sql: string): Promise<string[]> {
  return (await parser()).validate(sql).map(({ message, startLine }) => `line ${startLine}: ${message}`);
}
