/**
 * Small streams in the shape of each provider, written for these tests, each with the expected result.
 *
 * A file belongs to one provider: a note on its special features, and cases. A case has a title (`## …`), the expected
 * result as JSON, and, after `--- stream`, `--- document` or `--- refusal`, the provider's bytes. The result of a
 * stream or a document is fields of a message, or an `error`. The result of a refusal is its `message`, and the party
 * at `fault`. `quirks` are the quirks of the endpoint.
 *
 * A stream has server-sent events, lines of JSON, or lines of a name and its JSON. The last kind is packed into frames
 * of AWS's event stream: as an exception if the name ends with `Exception`, otherwise as an event. The JSON of a
 * `chunk` is put into its frame in base64, as Bedrock sends events of the model.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { packFrame } from '../support/event-stream.ts';

export interface Case {
  name: string;
  sent: string;
  quirks: Quirks;
  becomes: { error?: object; [field: string]: unknown };
}

type Kind = 'stream' | 'document' | 'refusal';

/** Returns the cases of a wire, by kind of response. */
export function casesOf(wire: string): Record<Kind, Case[]> {
  const folder = join(import.meta.dirname, 'streams', wire);
  const cases: Record<Kind, Case[]> = { stream: [], document: [], refusal: [] };
  for (const file of readdirSync(folder)) {
    const sections = readFileSync(join(folder, file), 'utf8').split(/^## /m).slice(1);
    for (const section of sections) {
      const [, title, json, kind, sent] = /^(.*)\n([^]*?)^--- (\w+)\n([^]*)$/m.exec(section)!;
      const { quirks = {}, ...becomes } = JSON.parse(json!) as Case['becomes'] & { quirks?: Quirks };
      // The last line of a case is empty, to separate it from the next case.
      const text = kind === 'stream' ? sent!.trimEnd() + endOfEvent(sent!) : sent!.trim();
      cases[kind as Kind].push({ name: `${file.replace('.txt', '')}: ${title}`, sent: text, quirks, becomes });
    }
  }
  return cases;
}

/** Returns the end of each event: an empty line for server-sent events, otherwise the end of the line. */
const endOfEvent = (stream: string): string => (/^(data|event):/m.test(stream) ? '\n\n' : '\n');

/** Splits a stream into its events, each with its end. */
export function eventsOf(stream: string): string[] {
  return stream.split(new RegExp(`(?<=${endOfEvent(stream)})`));
}

/** Converts a stream to bytes. Lines of a framed stream that are no frames stay unchanged. */
export function bytesOf(text: string): Buffer {
  const lines = text.split(/(?<=\n)/);
  return Buffer.concat(lines.map((line) => (isFramed(line) ? packFrame(...nameAndJson(line)) : Buffer.from(line))));
}

const FRAMED = /^([a-z]\w+) (.*)\n?$/i;

/** Whether a stream consists of frames, whose damage can be detected. */
export function isFramed(text: string): boolean {
  return FRAMED.test(text.slice(0, text.indexOf('\n') + 1 || undefined));
}

function nameAndJson(line: string): [name: string, json: string] {
  const [, name, json] = FRAMED.exec(line)!;
  return [name!, json!];
}

/** Values that a provider may write in place of any value. */
const REPLACEMENTS = ['null', '5', '-1', '1e400', '"x"', 'true', '[]', '{}', '[null]', '{"type":5}'];
const HOLE = '\u0000';

/** Yields copies of a text in which one value of its JSON is removed or replaced by a value of another kind. */
export function* mutationsOf(text: string): Generator<string> {
  const json = /\[\{.*\}\]|\{.*\}/.exec(text)?.[0];
  if (json === undefined) return;
  for (const holed of holesIn(JSON.parse(json))) {
    const hole = JSON.stringify(HOLE);
    const withHole = JSON.stringify(holed);
    for (const replacement of REPLACEMENTS) yield text.replace(json, () => withHole.replace(hole, replacement));
    const without = JSON.stringify(holed, (_key, value: unknown) => (value === HOLE ? undefined : value)) ?? '';
    yield text.replace(json, () => without);
  }
}

/** Yields copies of a value, each with a hole in place of the value or of a value in it. */
function* holesIn(value: unknown): Generator {
  yield HOLE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const hole of holesIn(inner)) {
      yield Array.isArray(value) ? value.with(Number(key), hole) : { ...value, [key]: hole };
    }
  }
}

const USAGE = /usage|tokens|count/i;

/** Replaces or removes the fields that count tokens. */
export function withUsage(text: string, value: unknown): string {
  return text.replace(/\{.*\}/, (json) =>
    JSON.stringify(JSON.parse(json, (key, inner: unknown) => (USAGE.test(key) ? value : inner))),
  );
}
