import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { dividedByDuration, slowestFirst } from './recorded-durations.ts';

/**
 * Sorts test files by recorded duration, and divides them for `--shard`. Files with a process of their own come first,
 * because Vitest ends a shared process if the next file of the list does not share it.
 */
export class ByDuration extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [alone, sharing] = [true, false].map((isAlone) => {
      return slowestFirst(files.filter(({ project }) => project.config.isolate === isAlone).map(pathOf));
    }) as [string[], string[]];
    const places = new Map([...alone, ...sharing].map((file, place) => [file, place]));
    return files.toSorted((one, other) => places.get(pathOf(one))! - places.get(pathOf(other))!);
  }

  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard!;
    const own = new Set(dividedByDuration(files.map(pathOf), count)[index - 1]);
    return files.filter((file) => own.has(pathOf(file)));
  }
}

function pathOf({ moduleId }: TestSpecification): string {
  return relative(process.cwd(), moduleId);
}
