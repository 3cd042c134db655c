/**
 * The dearest files take turns: a run of the whole suite takes a third of them, by its seed, so that it ends within five minutes on two cores.
 * They look from outside at what others look at from inside: functions in sandboxes, attacks, crashes, simulations, deployments. The
 * nightly run takes all of them, and so does `TEST_TURN=all npm test`. A file that somebody names is run in any case.
 */

const TURNS = 3;

/** Files, by the processor time that they take, the dearest first. */
export const takingTurns: readonly string[] = [
  'journeys/sandboxed',
  'attacks/exhaustion',
  'journeys/unkind-lambda',
  'attacks/hostile-provider',
  'lib/synth',
  'books/athena',
  'attacks/kept-timers',
  'journeys/leased-server',
  'attacks/provider-words',
  'journeys/published-catalog',
  'attacks/crashes',
  'attacks/fuzz',
  'conformance/recorded-replay',
  'attacks/malformed-answers',
  'journeys/mixed-load-killed',
  'lib/smoke',
  'books/seals/seals',
  'faults/lost-services',
  'attacks/planted-secrets',
  'journeys/web-server',
  'journeys/estimates',
  'books/seals/copies',
  'journeys/activity',
  'lib/admin-commands',
  'lib/alarms',
  'journeys/hostile-sandbox',
  'books/counter-parts',
  'faults/whole-gateway',
  'attacks/provider-usage',
  'attacks/endless-answers',
  'journeys/key-tags',
  'videos/jobs',
  'journeys/greeting',
  'faults/management-routes',
  'conformance/clients',
  'books/seals/late-words',
  'journeys/operator',
  'lib/private-files',
  'attacks/citation-flood',
  'journeys/counter-parts',
  'faults/killed-headers',
].map((name) => `test/${name}.test.ts`);

/** The turn of a run. @param named `all`, a turn, or nothing: then it is by chance */
export function turnOf(seed: number, named: string | undefined): string {
  return named ?? String(seed % TURNS);
}

/** The files that a run leaves to others. @param turn undefined and `all` leave none */
export function outOfTurn(turn: string | undefined): string[] {
  if (turn === undefined || turn === 'all') return [];
  return takingTurns.filter((_, place) => place % TURNS !== Number(turn) % TURNS);
}
