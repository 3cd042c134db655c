import {
  areAnswered,
  askAtOnce,
  askOneByOne,
  checkBooks,
  inDrill,
  rubOf,
  seenIn,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';

/** The table refuses calls: a third of them, which clients do not notice, then all, which they are told with a time to come back. */
export function drillThrottled(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { requests, done, start, startTable } = tools;
    const table = await startTable();
    const gateway = await start({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
    const { key } = gateway;
    const before = await askOneByOne(gateway, key, requests);
    done('requests before', areAnswered(before), seenIn(before));
    table.faultFor = (_call, number) => (number % 3 === 0 ? 'throttle' : undefined);
    const some = await askOneByOne(gateway, key, requests);
    done('requests while a third of all calls is throttled', areAnswered(some), seenIn(some));
    table.faultFor = () => 'throttle';
    const none = await askAtOnce(gateway, key, requests);
    done(
      'requests while every call is throttled',
      none.every(({ seen }) => seen.startsWith('529') && seen.endsWith('with retry-after')),
      seenIn(none),
    );
    table.faultFor = () => undefined;
    const after = await askOneByOne(gateway, key, requests);
    done('requests afterwards', areAnswered(after), seenIn(after));
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...some, ...after]) });
  });
}
