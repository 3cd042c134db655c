import { describe, expect, it } from 'vitest';
import { durationsAt } from '../../lambdas/catalog/video-options.ts';
import { factsOf } from '../../lambdas/catalog/wires.ts';
import { jobWire } from '../../lambdas/providers/job-wires.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const films = loadShippedCatalog().models.filter(({ data }) => data.video);
/** Converts thousandths of a dollar to thousandths of a rouble. */
const rub = (usd: bigint, perSeconds = 1n) => (usd * 99n) / perSeconds;
const optionsOf = (id: string) => films.find((model) => model.id === id)!.data.video!;

describe('models that make videos', () => {
  it('have endpoints with a wire for videos', () => {
    const endpoints = films.flatMap((model) => model.endpoints);
    expect(
      endpoints.filter(({ wire }) => factsOf(wire).answers !== 'video' || !jobWire(wire)).map(({ id }) => id),
    ).toEqual([]);
    expect(endpoints.length).toBeGreaterThanOrEqual(5);
  });

  it('need a prompt next to a picture only where the types of Runway’s SDK require promptText', () => {
    const endpoints = films.flatMap((model) => model.endpoints);

    expect(endpoints.filter(({ quirks }) => 'needs_prompt' in quirks).map(({ id }) => id)).toEqual([
      'runway/runway/gen-4.5',
    ]);
  });

  it('are none that their provider has retired', () => {
    expect(films.filter(({ id }) => id.startsWith('google/veo-'))).toEqual([]);
  });

  it('cost the list price of their provider at 90 RUB per USD plus 10 %', () => {
    const thousandths = Object.fromEntries(
      films
        .filter(({ id }) => !id.startsWith('sandbox/'))
        .flatMap(({ id, data }) =>
          Object.entries(data.video!.price_per_second).map(([at, price]) => [
            `${id} ${at}`,
            BigInt(Math.round(Number(price.toString()) * 1_000)),
          ]),
        ),
    );
    expect(thousandths).toEqual({
      'minimax/hailuo-2.3 768p': rub(560n, 10n),
      'minimax/hailuo-2.3 1080p': rub(490n, 6n),
      'minimax/hailuo-02 768p': rub(560n, 10n),
      'minimax/hailuo-02 1080p': rub(490n, 6n),
      'runway/gen-4.5 720p': rub(120n),
      'runway/gen-4-turbo 720p': rub(50n),
    });
  });

  it('have fewer durations at a resolution with its own list', () => {
    expect(durationsAt(optionsOf('minimax/hailuo-2.3'), '768p')).toEqual([6, 10]);
    expect(durationsAt(optionsOf('minimax/hailuo-2.3'), '1080p')).toEqual([6]);
    expect(durationsAt(optionsOf('runway/gen-4.5'), '720p')).toContain(7);
  });
});
