import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, most of it waiting: begun last, one of them would run alone at the end. */
const longest = [
  'conformance/clients',
  'journeys/streams',
  'journeys/start',
  'attacks/hostile-provider',
  'attacks/exhaustion',
  'journeys/activity',
  'journeys/greeting',
  'attacks/endless-answers',
  'lib/private-files',
  'providers/contract',
  'journeys/admission',
  'attacks/body-costs',
  'attacks/provider-words',
  'journeys/spending',
  'lib/synth',
  'faults/workers-process',
  'lib/admin.test',
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
