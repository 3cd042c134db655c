import {
  askAsStep,
  askAtOnce,
  checkBooks,
  inDrill,
  rubOf,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';

/** The table refuses calls: a third of them, which clients do not notice, then all, which they are told with a time to come back. */
export function drillThrottled(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { table, gateway } = await tools.startOnTable();
    const { key } = gateway;
    const before = await askAsStep(tools, 'requests before', { gateway, key });
    table.faultFor = (_call, number) => (number % 3 === 0 ? 'throttle' : undefined);
    const some = await askAsStep(tools, 'requests while a third of all calls is throttled', { gateway, key });
    table.faultFor = () => 'throttle';
    const none = await askAtOnce(gateway, key, tools.requests);
    const areTold = none.every(({ seen }) => seen.startsWith('529') && seen.endsWith('with retry-after'));
    tools.done('requests while every call is throttled', areTold, summarizeAnswers(none));
    table.faultFor = () => undefined;
    const after = await askAsStep(tools, 'requests afterwards', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...some, ...after]) });
  });
}
