/**
 * A small strict XML parser. It rejects documents with a document type, so no entity can be defined. Depth and number
 * of elements are limited.
 */

import { decodeEntities } from '../plain-text.ts';

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
}

const MAX_XML_DEPTH = 32;
const MAX_ELEMENTS = 20_000;

const OPENING = /<([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const CLOSING_TAG = /<\/([A-Za-z_][\w.:-]*)\s*>/y;
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Sections by their start and end. The text of CDATA sections is kept unchanged; the others are skipped. */
const sections = [
  { start: '<!--', end: '-->', isText: false },
  { start: '<?', end: '?>', isText: false },
  { start: '<![CDATA[', end: ']]>', isText: true },
];

/** @returns the root element; undefined for a document that is not well-formed, or exceeds the limits */
export function readXml(text: string): XmlElement | undefined {
  const document: XmlElement = { name: '', attributes: {}, children: [] };
  const open = [document];
  let elements = 0;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const parent = open.at(-1)!;
    const section = sections.find(({ start }) => text.startsWith(start, at));
    if (text[at] !== '<') {
      const end = tagEnd(text, '<', at) ?? text.length;
      parent.children.push(decodeEntities(text.slice(at, end)));
      at = end;
    } else if (section) {
      const start = at + section.start.length;
      const end = tagEnd(text, section.end, start);
      if (end === undefined) return undefined;
      if (section.isText) parent.children.push(text.slice(start, end));
      at = end + section.end.length;
    } else if (text[at + 1] === '/') {
      const [all, name] = matchAt(CLOSING_TAG, text, at) ?? [];
      if (!all || open.length === 1 || open.pop()!.name !== name) return undefined;
      at += all.length;
    } else {
      const [all, name, attributes, isEmpty] = matchAt(OPENING, text, at) ?? [];
      if (!all || ++elements > MAX_ELEMENTS || open.length > MAX_XML_DEPTH) return undefined;
      const element = { name: name!, attributes: xmlAttributes(attributes!), children: [] };
      parent.children.push(element);
      if (!isEmpty) open.push(element);
      at += all.length;
    }
  }
  return open.length === 1 ? rootOf(document) : undefined;
}

/** Returns the root element; undefined if text or another element is before or after it. */
function rootOf({ children }: XmlElement): XmlElement | undefined {
  const parts = children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  const [root] = parts;
  return parts.length === 1 && typeof root === 'object' ? root : undefined;
}

function tagEnd(text: string, end: string, from: number): number | undefined {
  const index = text.indexOf(end, from);
  return index === -1 ? undefined : index;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function xmlAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(ATTRIBUTE)].map(([, name, double, single]) => [
    name!,
    decodeEntities(double ?? single!),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child): child is XmlElement => typeof child === 'object' && child.name === name);
}

/** Returns all elements with a name below an element, in document order, except inside a returned element. */
export function descendantsOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return child.name === name ? [child] : descendantsOf(child, name);
  });
}

/** Returns all text in an element, without its markup. */
export function xmlText({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : xmlText(child))).join('');
}
