/**
 * Small streams in the shape of each provider, written for these tests, each with what has to become of it.
 *
 * A file is of one provider: some words on what is special about it, and cases. A case has a title (`## …`), what becomes of
 * it as JSON, and, after `--- stream`, `--- document` or `--- refusal`, what the provider sends. Of a stream or a document
 * become fields of a message, or an `error`; of a refusal its `message`, and whose `fault` it is. `quirks` are those of the endpoint.
 *
 * A stream is server-sent events, lines of JSON, or lines of a name and its JSON: these are packed into frames of AWS' event
 * stream, as events, or as exceptions where their name says so. The JSON of a `chunk` goes into its frame in base64, as
 * Bedrock sends events of the model's own.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packFrame } from '../support/event-stream.ts';

export interface Case {
  name: string;
  sent: string;
  quirks: object;
  becomes: { error?: object; [field: string]: unknown };
}

type Kind = 'stream' | 'document' | 'refusal';

/** The cases of a wire, by what is sent. */
export function casesOf(wire: string): Record<Kind, Case[]> {
  const folder = join(import.meta.dirname, 'streams', wire);
  const cases: Record<Kind, Case[]> = { stream: [], document: [], refusal: [] };
  for (const file of readdirSync(folder)) {
    const sections = readFileSync(join(folder, file), 'utf8').split(/^## /m).slice(1);
    for (const section of sections) {
      const [, title, json, kind, sent] = /^(.*)\n([^]*?)^--- (\w+)\n([^]*)$/m.exec(section)!;
      const { quirks = {}, ...becomes } = JSON.parse(json!) as Case['becomes'] & { quirks?: object };
      // The last line of a case is empty, to set it apart from the next.
      const text = kind === 'stream' ? sent!.trimEnd() + endOfEvent(sent!) : sent!.trim();
      cases[kind as Kind].push({ name: `${file.replace('.txt', '')}: ${title}`, sent: text, quirks, becomes });
    }
  }
  return cases;
}

/** Server-sent events end with an empty line, others with their line. */
const endOfEvent = (stream: string): string => (/^(data|event):/m.test(stream) ? '\n\n' : '\n');

/** The events of a stream, each as it is sent. */
export function eventsOf(stream: string): string[] {
  return stream.split(new RegExp(`(?<=${endOfEvent(stream)})`));
}

/** A stream, or a part of one, as its bytes; lines that are none of a framed stream stay as they are. */
export function bytesOf(text: string): Buffer {
  const lines = text.split(/(?<=\n)/);
  return Buffer.concat(lines.map((line) => (isFramed(line) ? packFrame(...nameAndJson(line)) : Buffer.from(line))));
}

const FRAMED = /^([a-z]\w+) (.*)\n?$/i;

/** It is sent in frames, whose damage can be seen. */
export function isFramed(text: string): boolean {
  return FRAMED.test(text.slice(0, text.indexOf('\n') + 1 || undefined));
}

function nameAndJson(line: string): [name: string, json: string] {
  const [, name, json] = FRAMED.exec(line)!;
  return [name!, json!];
}

/** What a provider may write in the place of any value, as it stands in JSON. */
const REPLACEMENTS = ['null', '5', '-1', '1e400', '"x"', 'true', '[]', '{}', '[null]', '{"type":5}'];
const HOLE = '\u0000';

/** A text with JSON in it, with one value of the JSON after the other replaced by each kind of value, or removed. */
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

/** Copies of a value with a hole in the place of each value in it, and of itself. */
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

/** A text with JSON in it, without any field that counts tokens, or with another value in the place of each. */
export function withUsage(text: string, value: unknown): string {
  return text.replace(/\{.*\}/, (json) =>
    JSON.stringify(JSON.parse(json, (key, inner: unknown) => (USAGE.test(key) ? value : inner))),
  );
}
