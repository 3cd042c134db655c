/** Builds the JSON text of arguments, which Vertex AI streams as pairs of a JSON path and a value. */

import { asText } from '../shapes.ts';
import { isRawNumber } from '../../platform/json/exact-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';

/** One step of a JSON path: the name of a member, or an index in a list. */
type Step = string | number;

interface Container {
  /** Name or index of this container in the surrounding container; undefined for the outermost container. */
  step: Step | undefined;
  isList: boolean;
  /** Names or indexes of the members that have already been written. */
  members: Set<Step>;
}

const MAX_ARGUMENTS_DEPTH = 100;
const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

export class PartialArguments {
  /** Open containers, from the outermost to the innermost. */
  #open: Container[] = [];
  /** Path of the string value that is still incomplete; undefined if there is none. */
  #openText: string | undefined;

  /**
   * Converts one value.
   * @returns the JSON text to append
   * @throws {UpstreamError} for unreadable or too deep paths, or an order that cannot form a document
   */
  write(value: Record<string, unknown>): string {
    const path = asText(value['jsonPath']);
    const isText = value['stringValue'] !== undefined;
    const goesOn = isText && value['willContinue'] === true;
    const content = isText ? JSON.stringify(asText(value['stringValue'])).slice(1, -1) : plainValue(value);
    if (content === undefined) return '';
    const isSameText = isText && this.#openText === path;
    const before = isSameText ? '' : this.#closeText() + this.#goTo(stepsOf(path)) + (isText ? '"' : '');
    this.#openText = goesOn ? path : undefined;
    return before + content + (isText && !goesOn ? '"' : '');
  }

  /**
   * Ends the arguments.
   * @returns the rest of the JSON text, with the ends of all open containers
   */
  end(): string {
    const rest = this.#closeText() + (this.#open.length === 0 ? '{}' : this.#closeTo(0));
    return rest;
  }

  #closeText(): string {
    const wasOpen = this.#openText !== undefined;
    this.#openText = undefined;
    return wasOpen ? '"' : '';
  }

  /** Closes the containers that are not on the path, opens the missing containers, and begins the member. */
  #goTo(steps: Step[]): string {
    let text = this.#open.length === 0 ? this.#openContainer(undefined, steps[0]!) : '';
    let shared = 0;
    while (shared < steps.length - 1 && this.#open[shared + 1]?.step === steps[shared]) shared += 1;
    text += this.#closeTo(shared + 1);
    for (const [index, step] of steps.entries()) {
      if (index < shared) continue;
      text += this.#beginMember(step);
      const next = steps[index + 1];
      if (next !== undefined) text += this.#openContainer(step, next);
    }
    return text;
  }

  #openContainer(step: Step | undefined, firstMember: Step): string {
    const isList = typeof firstMember === 'number';
    this.#open.push({ step, isList, members: new Set() });
    return isList ? '[' : '{';
  }

  #beginMember(step: Step): string {
    const { isList, members } = this.#open.at(-1)!;
    const fits = isList ? step === members.size : typeof step === 'string' && !members.has(step);
    if (!fits) throw outOfOrder();
    const comma = members.size > 0 ? ',' : '';
    members.add(step);
    return isList ? comma : `${comma}${JSON.stringify(step)}:`;
  }

  #closeTo(depth: number): string {
    let text = '';
    while (this.#open.length > depth) text += this.#open.pop()!.isList ? ']' : '}';
    return text;
  }
}

/** Returns a number, boolean or null as JSON; undefined if there is no value. */
function plainValue({ numberValue, boolValue, nullValue }: Record<string, unknown>): string | undefined {
  if (typeof numberValue === 'number' || isRawNumber(numberValue)) return JSON.stringify(numberValue);
  if (typeof boolValue === 'boolean') return String(boolValue);
  return nullValue === undefined ? undefined : 'null';
}

/** Splits a JSON path such as `$.a[0]['b c']` into its steps. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  STEP.lastIndex = 1;
  while (path.startsWith('$') && STEP.lastIndex < path.length && steps.length < MAX_ARGUMENTS_DEPTH) {
    const [, name, index, ...quoted] = STEP.exec(path) ?? [];
    const key = name ?? quoted.find((text) => text !== undefined)?.replaceAll(/\\(.)/g, '$1');
    if (index !== undefined) steps.push(Number(index));
    else if (key !== undefined) steps.push(key);
    else throw outOfOrder();
  }
  // The arguments are an object, so the first step must be a name.
  if (typeof steps[0] !== 'string' || steps.length === MAX_ARGUMENTS_DEPTH) throw outOfOrder();
  return steps;
}

function outOfOrder(): UpstreamError {
  return new UpstreamError('malformed', 'The provider sent arguments of a tool call in an invalid order');
}
