import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, most of it waiting: begun last, one of them would run alone at the end. */
const longest = [
  'journeys/sandboxed',
  'inference/new-modality',
  'journeys/streams',
  'journeys/activity',
  'journeys/october',
  'journeys/lambda-faults',
  'attacks/hostile-provider',
  'conformance/clients',
  'attacks/exhaustion',
  'lib/smoke',
  'journeys/published-catalog',
  'journeys/admission',
  'journeys/last-release',
  'attacks/fuzz',
  'books/books.test',
  'journeys/start',
  'conformance/recorded-replay',
  'simulations/holds',
  'journeys/leased-server',
  'lib/stacks',
  'faults/lost-services',
  'books/athena',
  'attacks/endless-answers',
  'attacks/planted-secrets',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.includes(`/test/${name}`));
  return place === -1 ? longest.length : place;
}

/** Begins with the files that take longest; vitest itself only knows their sizes, until it has run them once. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
