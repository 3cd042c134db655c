import { afterAll, beforeAll, expect, it } from 'vitest';
import { dialects } from '../support/dialects.ts';
import { startHostileGateway, type HostileGateway } from '../support/hostile-gateway.ts';
import { residentMb, measurable } from '../support/process-usage.ts';
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway(measurable);
});
afterAll(() => hostile.stop());
const d = dialects.anthropic;
const cases: [string, string][] = [
  [
    'citations',
    d.event(
      `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"${'c'.repeat(100_000)}"}}}`,
    ),
  ],
];
it.each(cases)(
  'ends an answer of endless %s',
  async (name, event) => {
    const before = residentMb(hostile.gateway);
    let sent = 0;
    let peak = 0;
    await hostile
      .attack({
        wire: 'anthropic',
        limitRub: null,
        patienceMs: 30_000,
        behaviour: async (x) => {
          await x.begin();
          await x.send(d.opening());
          for (let i = 0; i < 5_000; i += 1) {
            if (!(await x.send(event))) return;
            sent += event.length;
            if (i % 50 === 0) peak = Math.max(peak, residentMb(hostile.gateway));
          }
          await x.send(d.reason() + d.stop);
          await x.finish();
        },
      })
      .catch((e) => console.log('ATTACK', name, String(e).slice(0, 200)));
    console.log('ENDLESS', name, 'sent MB', (sent / 1e6).toFixed(0), 'grew MB', (peak - before).toFixed(0));
    expect(sent).toBeLessThan(100e6);
  },
  60_000,
);
