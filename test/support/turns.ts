/**
 * The dearest files take turns: a run of the whole suite takes a third of them, by its seed, so that it ends within five minutes on two cores.
 * They look from outside at what others look at from inside: functions in sandboxes, attacks, crashes, simulations, deployments. The
 * nightly run takes all of them, and so does `TEST_TURN=all npm test`. A file that somebody names is run in any case.
 */

/** The files of each turn, the dearest first. The turns take about the same processor time. */
const turns: readonly (readonly string[])[] = [
  [
    'journeys/sandboxed',
    'journeys/published-catalog',
    'conformance/recorded-replay',
    'lib/smoke',
    'attacks/planted-secrets',
    'lib/admin-commands',
    'lib/alarms',
    'faults/whole-gateway',
    'journeys/key-tags',
    'faults/management-routes',
    'attacks/citation-flood',
    'simulations/settlement',
    'lib/drill',
    'lib/clients',
    'lib/books-stack',
    'lib/dashboard',
  ],
  [
    'attacks/exhaustion',
    'lib/synth',
    'books/athena',
    'attacks/provider-words',
    'attacks/fuzz',
    'attacks/malformed-answers',
    'books/seals/seals',
    'journeys/estimates',
    'books/seals/copies',
    'journeys/hostile-sandbox',
    'attacks/provider-usage',
    'videos/jobs',
    'books/seals/late-words',
    'lib/private-files',
    'journeys/counter-parts',
    'lib/web-server-stack',
    'journeys/warm-conversations',
    'journeys/spread-records',
  ],
  [
    'journeys/unkind-lambda',
    'attacks/hostile-provider',
    'attacks/kept-timers',
    'journeys/leased-server',
    'attacks/crashes',
    'journeys/mixed-load-killed',
    'faults/lost-services',
    'journeys/web-server',
    'journeys/activity',
    'books/counter-parts',
    'attacks/endless-answers',
    'journeys/greeting',
    'conformance/clients',
    'journeys/operator',
    'faults/killed-headers',
    'simulations/health',
    'attacks/own-faults',
    'faults/workers-process',
  ],
];

const pathOf = (name: string) => `test/${name}.test.ts`;

export const takingTurns: readonly string[] = turns.flat().map(pathOf);

/**
 * The turn of a run.
 * @param named `all`, a turn, or nothing: then it is by chance
 * @throws {Error} for a turn that there is not: it would leave all files out
 */
export function turnOf(seed: number, named: string | undefined): string {
  const known = ['all', ...turns.keys().map(String)];
  if (named !== undefined && !known.includes(named)) throw new Error(`TEST_TURN must be one of ${known.join(', ')}`);
  return named ?? String(seed % turns.length);
}

/** The files that a run leaves to others. @param turn undefined and `all` leave none */
export function outOfTurn(turn: string | undefined): string[] {
  if (turn === undefined || turn === 'all') return [];
  return turns.filter((_, place) => place !== Number(turn)).flatMap((names) => names.map(pathOf));
}
