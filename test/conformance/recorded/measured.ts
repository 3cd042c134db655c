import type { Exception } from './exceptions.ts';
import type { Interaction } from './interactions.ts';

export interface Measured {
  interaction: Interaction;
  /** Differences from the expected result; empty if the interaction passes. */
  complaints: string[];
}

export interface Share {
  wire: string;
  provider: string;
  passed: number;
  total: number;
}

export interface Outcome {
  shares: Share[];
  /** Number of interactions that each exception explains. */
  explained: Map<Exception, number>;
  /** Interactions that did not pass, and that no exception explains. */
  unexplained: string[];
}

const MAX_COMPLAINT_CHARACTERS = 1_000;

export function outcomeOf(measured: Measured[], exceptions: readonly Exception[]): Outcome {
  const shares = new Map<string, Share>();
  const wires = new Set(measured.map(({ interaction }) => interaction.wire as string));
  const explained = new Map(exceptions.filter(({ wire }) => wires.has(wire)).map((exception) => [exception, 0]));
  const unexplained: string[] = [];
  for (const { interaction, complaints } of measured) {
    const { wire, provider, name } = interaction;
    const share = shares.get(`${wire} ${provider}`) ?? { wire, provider, passed: 0, total: 0 };
    shares.set(`${wire} ${provider}`, share);
    share.total += 1;
    if (complaints.length === 0) share.passed += 1;
    const reasons = new Set<Exception>();
    for (const complaint of complaints) {
      const exception = [...explained.keys()].find((known) => known.name.test(name) && known.complaint.test(complaint));
      if (exception) reasons.add(exception);
      else unexplained.push(`${name}: ${complaint.slice(0, MAX_COMPLAINT_CHARACTERS)}`);
    }
    for (const reason of reasons) explained.set(reason, explained.get(reason)! + 1);
  }
  return { shares: [...shares.values()], explained, unexplained };
}
