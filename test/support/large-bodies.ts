/** Bodies of POST /messages that are large, have many values, or are nested deeply; some are invalid. */

const MAX_BYTES = 6 * 1024 * 1024;

/** Returns a list with as many copies of an element as fit into a body, but at most `most`. */
function list(element: string, most = Infinity): string {
  const count = Math.min(most, Math.floor((MAX_BYTES - 1_000) / (element.length + 1)));
  return `[${Array<string>(count).fill(element).join(',')}]`;
}

/** Returns an object with as many numbered members as fit into a body, but at most `most`. */
function members(value: string, most: number): string {
  const count = Math.min(most, Math.floor((MAX_BYTES - 1_000) / (value.length + 12)));
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join(',')}}`;
}

const text = (size: number, unit = 'a') => unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
const said = (content: string) => `"messages":[{"role":"user","content":${content}}]`;
const asking = (more: string) => `${said('"Hi"')},${more}`;
const nested = (depth: number, inner: string) =>
  Array.from({ length: depth }).reduce<string>(
    (content) => `[{"type":"tool_result","tool_use_id":"t","content":${content}}]`,
    inner,
  );
const url = '{"type":"image","source":{"type":"url","url":"https://a.example/b"}}';
const call = (input: string) => `[{"type":"tool_use","id":"t","name":"n","input":${input}}]`;
const inBase64 = (data: string) =>
  `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}`;
const largeTool = (name: string) =>
  `{"name":"${name}","description":"${text(5_500)}","input_schema":{"type":"object"}}`;

/** Number of JSON values, slightly below the maximum in a body. */
const VALUES = 99_000;

/** Members of JSON bodies, without braces and `model`, each with a name. Some are not valid JSON. */
export const largeBodies: [string, () => string][] = [
  // The next bodies have lists with many invalid elements.
  ...['messages', 'system', 'tools', 'stop_sequences', 'betas'].flatMap((field): [string, () => string][] =>
    ['1', '{}', '{"type":"text"}', 'null'].map((element) => [
      `${field} of ${element}`,
      () => (field === 'messages' ? `"messages":${list(element)}` : asking(`"${field}":${list(element)}`)),
    ]),
  ),
  ...['1', '{}', '{"type":"text"}', '{"type":"image"}', '[]', '""'].flatMap((element): [string, () => string][] => [
    [`content of ${element}`, () => said(list(element))],
    [`content of ${element}, as many as may be`, () => said(list(element, VALUES / 3))],
    [`results of ${element}`, () => said(nested(1, list(element, VALUES / 3)))],
    [`results within results of ${element}`, () => said(nested(20, list(element, VALUES / 3)))],
    [
      `good content and then ${element}`,
      () => said(list('{"type":"text","text":"a"}', 32_000).replace(/]$/, `,${element}]`)),
    ],
  ]),
  ['edits of {}', () => asking(`"context_management":{"edits":${list('{}', VALUES / 2)}}`)],
  [
    'context of {}',
    () => said(`[{"type":"document","source":{"type":"content","content":${list('{}', VALUES / 2)}}}]`),
  ],
  // The next bodies have many valid parts.
  ['messages', () => `"messages":${list('{"role":"user","content":"x"}', 100_000)}`],
  ['messages, as many as may be', () => `"messages":${list('{"role":"user","content":"x"}', 20_000)}`],
  [
    'messages by turns',
    () => `"messages":${list('{"role":"user","content":"x"},{"role":"assistant","content":"y"}', 10_000)}`,
  ],
  [
    'messages of one block',
    () => `"messages":${list('{"role":"assistant","content":[{"type":"text","text":"x"}]}', 16_000)}`,
  ],
  [
    'system messages after a call',
    () =>
      `"messages":${list('{"role":"system","content":"x"}', 19_000).replace('[', `[{"role":"assistant","content":${call('{}')}},`)}`,
  ],
  ['blocks', () => said(list('{"type":"text","text":"x"}', VALUES / 3))],
  ['blocks of unknown types', () => said(list('{"type":"x"}', VALUES / 2))],
  ['calls', () => `"messages":[{"role":"assistant","content":${list(call('{}').slice(1, -1), 19_000)}}]`],
  [
    'calls with ids that have to be shortened',
    () =>
      `"messages":[{"role":"assistant","content":${list(`{"type":"tool_use","id":"${text(65)}","name":"n","input":{}}`, 19_000)}}]`,
  ],
  ['results', () => said(list('{"type":"tool_result","tool_use_id":"t"}', 32_000))],
  ['images by url', () => said(list(url, 16_000))],
  ['images', () => said(list(inBase64('AAAA'), 14_000))],
  ['one image', () => said(`[${inBase64('A'.repeat(6_000_000))}]`)],
  ['an image with a fault at its end', () => said(`[${inBase64(`${'A'.repeat(5_999_999)}!`)}]`)],
  ['tools', () => asking(`"tools":[${Array.from({ length: 1_024 }, (_, index) => largeTool(`n${index}`)).join(',')}]`)],
  [
    'strict tools',
    () =>
      asking(
        `"tools":[{"name":"n","strict":true,"input_schema":{"type":"object","properties":${members('{"type":"object"}', VALUES / 2)}}}]`,
      ),
  ],
  [
    'a required list',
    () =>
      asking(
        `"tools":[{"name":"n","strict":true,"input_schema":{"type":"object","additionalProperties":false,"properties":${members('1', VALUES / 3)},"required":${list('"k1"', VALUES / 3)}}}]`,
      ),
  ],
  ['members of an input', () => `"messages":[{"role":"assistant","content":${call(members('1', VALUES))}}]`],
  ['members of the body', () => asking(members('1', VALUES).slice(1, -1))],
  ['members of a message', () => `"messages":[{"role":"user","content":"Hi",${members('1', VALUES).slice(1)}]`],
  ['members of a block', () => said(`[{"type":"text","text":"Hi",${members('1', VALUES).slice(1)}]`)],
  ['members of an unknown block', () => said(`[{"type":"x",${members('1', VALUES).slice(1)}]`)],
  [
    'members of a block of a result',
    () => said(nested(60, `[{"type":"text","text":"Hi",${members('1', VALUES - 500).slice(1)}]`)),
  ],
  [
    'members of a source',
    () =>
      said(
        `[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"Hi",${members('1', VALUES).slice(1)}}]`,
      ),
  ],
  ['members of a tool', () => asking(`"tools":[{"name":"n",${members('1', VALUES).slice(1)}]`)],
  ['members of a schema', () => asking(`"tools":[{"name":"n","input_schema":${members('{}', VALUES / 2)}}]`)],
  ['members of metadata', () => asking(`"metadata":${members('1', VALUES)}`)],
  ['members of thinking', () => asking(`"thinking":{"type":"adaptive",${members('1', VALUES).slice(1)}`)],
  ['members of the output', () => asking(`"output_config":${members('1', VALUES)}`)],
  ['the same member', () => asking(list('"x":1').slice(1, -1))],
  ['the same messages', () => list('"messages":[]', VALUES / 2).slice(1, -1)],
  ['members named __proto__', () => asking(list('"__proto__":{}', VALUES / 2).slice(1, -1))],
  ['numbers', () => `"messages":[{"role":"assistant","content":${call(`{"a":${list('1', VALUES)}}`)}}]`],
  [
    'long numbers',
    () => `"messages":[{"role":"assistant","content":${call(`{"a":${list('0.30000000000000004', VALUES)}}`)}}]`,
  ],
  [
    'numbers that no float holds',
    () => `"messages":[{"role":"assistant","content":${call(`{"a":${list('9007199254740993', VALUES)}}`)}}]`,
  ],
  [
    'numbers that no float holds, as many as may be',
    () => `"messages":[{"role":"assistant","content":${call(`{"a":${list('9007199254740993', 9_900)}}`)}}]`,
  ],
  [
    'numbers with trailing zeros, one inexact',
    () =>
      `"messages":[{"role":"assistant","content":${call(`{"b":1e400,"a":${list('0.10000000000000000000', VALUES)}}`)}}]`,
  ],
  ['one number', () => `"messages":[{"role":"assistant","content":${call(`{"a":${text(MAX_BYTES - 1_000, '1')}}`)}}]`],
  // The next bodies are nested deeply.
  ['depth', () => asking(`"metadata":${text(MAX_BYTES / 2 - 500, '[')}${text(MAX_BYTES / 2 - 500, ']')}`)],
  ['depth without an end', () => asking(`"metadata":${text(MAX_BYTES - 1_000, '[')}`)],
  ['results within results', () => said(nested(60, '"x"'))],
  [
    'members as deep as may be',
    () =>
      `"messages":[{"role":"assistant","content":${call(`{"a":${list(`${text(100, '[')}${text(100, ']')}`, 900)}}`)}}]`,
  ],
  // The next bodies have long texts.
  ['a text', () => said(`"${text(MAX_BYTES - 1_000)}"`)],
  ['a text of two bytes a letter', () => said(`"${text(MAX_BYTES - 1_000, 'ы')}"`)],
  ['a text of escapes', () => said(`"${text(MAX_BYTES - 1_000, '\\"')}"`)],
  ['a text of backslashes', () => said(`"${text(MAX_BYTES - 1_000, '\\\\')}"`)],
  ['a text of lone surrogates', () => said(`"${text(MAX_BYTES - 1_000, '\\ud800')}"`)],
  [
    'a long image',
    () =>
      said(
        `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${text(MAX_BYTES - 1_000)}"}}]`,
      ),
  ],
  ['a long url', () => said(`[{"type":"image","source":{"type":"url","url":"https://${text(MAX_BYTES - 1_000)}"}}]`)],
  [
    'a long id',
    () =>
      `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"${text(MAX_BYTES - 1_000)}","name":"n","input":{}}]}]`,
  ],
  ['a long name of a block', () => said(`[{"type":"${text(MAX_BYTES - 1_000)}"}]`)],
  ['a long name of a member', () => asking(`"${text(MAX_BYTES - 1_000)}":1`)],
  ['no JSON', () => text(MAX_BYTES - 1_000, ',')],
  ['quotes', () => text(MAX_BYTES - 1_000, '"')],
];
