/** Runs each scenario only once in a process, because plots and tests share scenarios. */
export function onceEach<Scenario extends object, Result>(
  simulate: (scenario: Scenario) => Promise<Result>,
): (scenario: Scenario) => Promise<Result> {
  const runs = new Map<string, Promise<Result>>();
  return (scenario) => {
    const name = JSON.stringify(Object.entries(scenario).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const run = runs.get(name) ?? simulate(scenario);
    runs.set(name, run);
    return run;
  };
}
