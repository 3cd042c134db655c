import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { answerPitfalls } from './pitfalls/answers.ts';
import { journeyPitfalls } from './pitfalls/journeys.ts';
import { requestPitfalls } from './pitfalls/requests.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

/** Each pitfall was a known fault of another gateway. Some pitfalls have one part for requests and one for answers. */
const pitfalls = [...requestPitfalls, ...answerPitfalls, ...journeyPitfalls].toSorted((a, b) => a.number - b.number);

describe('the pitfalls of translation', () => {
  it('have the numbers from 1 to 25', () => {
    expect([...new Set(pitfalls.map(({ number }) => number))]).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
  });

  describe.each(pitfalls)('$number: $title', ({ wires, holds }) => {
    it.each(wires)('over %s', (wire) => holds(wire, gateway));
  });
});
