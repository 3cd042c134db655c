import {
  askAsStep,
  askAtOnce,
  checkBooks,
  inDrill,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';
import { rubOf } from './roubles.ts';

/**
 * Drill: the table throttles calls. First, a third of the calls are throttled, which clients do not notice. Then all
 * calls are throttled, and clients get an error with `retry-after`.
 */
export function drillThrottled(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { table, gateway } = await tools.startOnTable();
    const { key } = gateway;
    const before = await askAsStep(tools, 'requests before', { gateway, key });
    table.faultFor = (_call, number) => (number % 3 === 0 ? 'throttle' : undefined);
    const some = await askAsStep(tools, 'requests while a third of all calls is throttled', { gateway, key });
    table.faultFor = () => 'throttle';
    const none = await askAtOnce(gateway, key, tools.requests);
    const areRefused = none.every(({ seen }) => seen.startsWith('529') && seen.endsWith('with retry-after'));
    tools.done('requests while every call is throttled', areRefused, summarizeAnswers(none));
    table.faultFor = () => undefined;
    const after = await askAsStep(tools, 'requests afterwards', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...some, ...after]) });
  });
}
