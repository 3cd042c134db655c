/**
 * Checks those fields of blocks and deltas that clients rely on. Unknown types are accepted. Before these checks,
 * `withAllContent` adds the missing content of blocks.
 */

import { isRecord } from '../../platform/json/foreign-json.ts';

type Shape = Record<string, (value: unknown) => boolean>;

const call: Shape = { name: isText, input: isRecord };

/** Required shapes of blocks, by type. */
const blockShapes = byType({
  text: { text: isText, citations: (value) => value == null || Array.isArray(value) },
  thinking: { thinking: isText, signature: isText },
  redacted_thinking: { data: isText },
  tool_use: call,
  server_tool_use: { ...call, id: isText },
});

const deltas = byType({
  text_delta: { text: isText },
  thinking_delta: { thinking: isText },
  input_json_delta: { partial_json: isText },
  signature_delta: { signature: isText },
  citations_delta: { citation: isRecord },
});

export function isBlock(block: unknown): boolean {
  return fitsShape(blockShapes, block);
}

export function isDelta(delta: unknown): boolean {
  return fitsShape(deltas, delta);
}

/** Returns whether the content of a delta is null, as other wires send it too. */
export function isNullDelta(delta: unknown): boolean {
  if (!isRecord(delta)) return false;
  const shape = deltas[String(delta['type'])] ?? {};
  return Object.keys(shape).some((field) => delta[field] === null);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function fitsShape(shapes: Partial<Record<string, Shape>>, value: unknown): boolean {
  if (!isRecord(value) || !isText(value['type'])) return false;
  const shape = shapes[value['type']] ?? {};
  for (const field in shape) if (!shape[field]!(value[field])) return false;
  return true;
}

/**
 * Returns the shapes in an object without inherited properties: the provider chooses the type names, and could choose
 * `constructor`.
 */
function byType(shapes: Record<string, Shape>): Partial<Record<string, Shape>> {
  return Object.assign(Object.create(null) as Record<string, Shape>, shapes);
}
