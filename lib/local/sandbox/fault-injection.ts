/** Fault injection of the sandbox: changes the events of a wire (API format) before they are serialized. */

import type { SandboxMoment, WireEvent } from './answer.ts';
import type { Directives } from './directives.ts';
import type { Script } from './script.ts';
import type { WireFields } from './wire-fields.ts';

/** Returns why requested faults are impossible on a wire; undefined if they are possible. */
export function objectionToDirectives(directives: Directives, fields: WireFields): string | undefined {
  if (directives.sameIndex && fields.index === undefined) {
    return 'The sandbox cannot do "same-index" on this wire: its parts have no index';
  }
  if (directives.usage === 'late' && fields.afterLateUsage === undefined) {
    return 'The sandbox cannot do "usage=late" on this wire: its last event has the usage';
  }
  return undefined;
}

export function withInjectedFaults(
  moments: SandboxMoment[],
  { directives, blocks }: Script,
  fields: WireFields,
): SandboxMoment[] {
  const { sameIndex, interleave, usage, nullAt, numberAt } = directives;
  const isCall = ({ block }: SandboxMoment) => block !== undefined && blocks[block]!.kind === 'tool';
  let answer = moments;
  if (directives.arguments) answer = withoutArguments(answer, isCall, fields, emptyValues[directives.arguments]);
  if (interleave) answer = interleaved(answer);
  if (sameIndex) answer = answer.map((moment) => rewritten(moment, [fields.index!], () => 0));
  if (nullAt !== undefined) answer = withWords(answer, nullAt, fields, null);
  if (numberAt !== undefined) answer = withWords(answer, numberAt, fields, 42);
  if (usage) answer = usageFaults[usage](answer, fields);
  return answer;
}

const emptyValues = { empty: '', null: null, none: undefined };

/**
 * Replaces the arguments of tool calls by `value`, and keeps only the last piece of each call. On some wires, the last
 * piece contains the whole call.
 */
function withoutArguments(
  moments: SandboxMoment[],
  isCall: (moment: SandboxMoment) => boolean,
  fields: WireFields,
  value: unknown,
): SandboxMoment[] {
  return moments
    .filter((moment, index) => {
      const next = moments[index + 1];
      return !isCall(moment) || moment.part !== 'piece' || next?.part !== 'piece';
    })
    .map((moment) => (isCall(moment) ? rewritten(moment, fields.arguments, () => value) : moment));
}

/** Reorders an answer: all blocks begin, then their pieces alternate, then all blocks end. */
function interleaved(moments: SandboxMoment[]): SandboxMoment[] {
  const of = (part: SandboxMoment['part']) => moments.filter((moment) => moment.part === part);
  const turns = new Map<number | undefined, number>();
  const pieces = of('piece').map((moment) => {
    const turn = turns.get(moment.block) ?? 0;
    turns.set(moment.block, turn + 1);
    return { turn, moment };
  });
  const byTurns = pieces.toSorted((a, b) => a.turn - b.turn).map(({ moment }) => moment);
  return [...of('opening'), ...of('start'), ...byTurns, ...of('stop'), ...of('closing')];
}

/** Replaces the model's output in the piece with the index `at` by `value`. */
function withWords(moments: SandboxMoment[], at: number, { words }: WireFields, value: unknown): SandboxMoment[] {
  const piece = moments.filter(({ part }) => part === 'piece')[at];
  return moments.map((moment) => (moment === piece ? rewritten(moment, words, () => value) : moment));
}

const usageFaults = {
  none: withoutUsage,

  late(moments: SandboxMoment[], fields: WireFields): SandboxMoment[] {
    const usage = usageIn(moments, fields);
    return withClosing(withoutUsage(moments, fields), (events) =>
      events.toSpliced(events.length - fields.afterLateUsage!, 0, fields.usageEvent(usage)),
    );
  },

  /** Reports half of each count, then the whole count. */
  twice(moments: SandboxMoment[], fields: WireFields): SandboxMoment[] {
    const half = copy(usageIn(moments, fields), (_, value) =>
      typeof value === 'number' ? Math.floor(value / 2) : value,
    );
    return withClosing(moments, (events) => [fields.usageEvent(half), ...events]);
  },
};

function withoutUsage(moments: SandboxMoment[], { usage }: WireFields): SandboxMoment[] {
  return moments.map((moment) => rewritten(moment, [usage], () => undefined));
}

/** Returns the last usage that the answer reports. */
function usageIn(moments: SandboxMoment[], { usage }: WireFields): unknown {
  let last: unknown;
  copy(moments.at(-1)!.events, (name, value) => {
    if (name === usage) last = value;
    return value;
  });
  return last;
}

function withClosing(moments: SandboxMoment[], change: (events: WireEvent[]) => WireEvent[]): SandboxMoment[] {
  return moments.map((moment) => (moment.part === 'closing' ? { ...moment, events: change(moment.events) } : moment));
}

/** Changes the values of the named fields, at any depth; a field whose new value is undefined is removed. */
function rewritten(moment: SandboxMoment, names: string[], change: () => unknown): SandboxMoment {
  const events = moment.events.map((event) => copy(event, (name, value) => (names.includes(name) ? change() : value)));
  return { ...moment, events };
}

function copy<Value>(value: Value, change: (name: string, value: unknown) => unknown): Value {
  return JSON.parse(JSON.stringify(value), change) as Value;
}
