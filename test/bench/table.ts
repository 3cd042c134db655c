/**
 * Formats the figures of a run as a table with one column per lane. An added time is the time of a lane minus the time
 * of the direct lane.
 */

import type { Figures } from './measures.ts';

const rows: [label: string, name: string, digits: number, isAdded: boolean][] = [
  ['added to a request, ms', 'total_ms', 1, true],
  ['added to the first byte, ms', 'first_byte_ms', 1, true],
  ['… of 32 at a time, ms', 'first_byte_busy_ms', 1, true],
  ['CPU a request, 32 at a time, ms', 'cpu_ms', 2, false],
  ['… of the workers beside, ms', 'cpu_beside_ms', 2, false],
  ['requests a second', 'per_second', 0, false],
  ['CPU of a 100 kB prompt, ms', 'large_cpu_ms', 2, false],
  ['CPU a chunk, 32 streams, µs', 'streams_32_chunk_us', 0, false],
  ['CPU a chunk, 128 streams, µs', 'streams_128_chunk_us', 0, false],
  ['peak memory, 128 streams, MB', 'streams_128_peak_mb', 0, false],
];

const LABEL = Math.max(...rows.map(([label]) => label.length)) + 2;
const COLUMN = 14;

export function table(figures: Record<string, Figures>): string {
  const { gateway, table: counted, ...lanes } = figures;
  const wires = [...new Set(Object.keys(lanes).map((name) => name.split(' ')[1]!))];
  const direct = (wire: string) => lanes[`direct ${wire}`]!;
  const parts = wires.map((wire) => {
    const columns = Object.entries(lanes).filter(([name]) => name.endsWith(` ${wire}`) && !name.startsWith('direct'));
    const head = `${wire.padEnd(LABEL)}${columns.map(([name]) => name.split(' ')[0]!.padStart(COLUMN)).join('')}`;
    const lines = rows.map(([label, name, digits, isAdded]) => {
      const cells = columns.map(([, of]) => (of[name] ?? Number.NaN) - (isAdded ? direct(wire)[name]! : 0));
      return `${label.padEnd(LABEL)}${cells.map((cell) => written(cell, digits).padStart(COLUMN)).join('')}`;
    });
    return [head, ...lines, ''].join('\n');
  });
  const first = direct('anthropic');
  const last = [
    'the gateway',
    one('added to a request of a new key, ms', gateway!['cold_total_ms']! - (first?.['total_ms'] ?? 0), 1),
    one('CPU a protected chunk, 128 streams', gateway!['protected_chunk_us']!, 0),
    one('DynamoDB calls a request, 4 / 32 at once', counted!['calls_at_4']!, 1),
    one('', counted!['calls_at_32']!, 1),
    one('DynamoDB units a request, 4 / 32 at once', counted!['units_at_4']!, 1),
    one('', counted!['units_at_32']!, 1),
  ];
  return `${parts.join('\n')}\n${last.join('\n')}\n`;
}

function one(label: string, value: number, digits: number): string {
  return `${label.padEnd(LABEL)}${value.toFixed(digits).padStart(COLUMN)}`;
}

/** Returns a figure as text, or a dash if the lane does not have the figure. */
function written(value: number, digits: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(digits);
}
