/**
 * The dearest files take turns: a run of the whole suite takes a quarter of them, by the commit, so that it ends within five minutes on two cores.
 * They look from outside at what others look at from inside: functions in sandboxes, attacks, crashes, simulations, deployments. CI
 * takes all of them on each push, a turn per job, and so does `TEST_TURN=all npm test`. A file that somebody names is run in any case.
 */

/** The files of each turn, the dearest first. The turns take about the same processor time. */
const turns: readonly (readonly string[])[] = [
  [
    'journeys/sandboxed',
    'books/seals/seals',
    'journeys/estimates',
    'lib/alarms.own',
    'attacks/provider-usage',
    'journeys/greeting.own',
    'books/seals/late-settlement',
    'journeys/operator.own',
    'faults/killed-headers',
    'simulations/health',
    'journeys/spread-records.own',
    'lib/dashboard',
  ],
  [
    'attacks/exhaustion.own',
    'attacks/kept-timers',
    'journeys/published-catalog.own',
    'conformance/recorded-replay',
    'lib/smoke',
    'journeys/web-server',
    'journeys/activity',
    'books/counter-parts',
    'journeys/key-tags.own',
    'faults/management-routes',
    'conformance/recorded',
    'simulations/settlement',
    'lib/drill.own',
    'journeys/warm-conversations',
  ],
  [
    'journeys/lambda-faults.own',
    'books/athena',
    'attacks/provider-messages',
    'attacks/fuzz',
    'journeys/mixed-load-killed',
    'attacks/planted-secrets',
    'books/seals/copies',
    'faults/whole-gateway',
    'videos/jobs',
    'admission/local-count',
    'lib/private-files.own',
    'journeys/counter-parts',
    'lib/clients',
    'faults/workers-process',
    'lib/books-stack',
  ],
  [
    'attacks/hostile-provider',
    'lib/synth.own',
    'journeys/leased-server',
    'attacks/crashes',
    'attacks/malformed-answers',
    'faults/lost-services',
    'lib/admin-commands.own',
    'journeys/hostile-sandbox',
    'attacks/endless-answers',
    'conformance/clients',
    'attacks/citation-flood',
    'openapi/generated-requests',
    'lib/web-server-stack.own',
    'attacks/own-faults',
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
