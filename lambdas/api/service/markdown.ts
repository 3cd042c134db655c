/** The API reference as Markdown, for curl, and for models that read about the API before they call it. */

import type { MediaObject, OpenApi, ResponseObject, SchemaObject } from './openapi-types.ts';
import {
  curlLine,
  examplesOf,
  fieldRows,
  operationGroups,
  resolvedResponse,
  typeOf,
  type LocatedOperation,
} from './reference.ts';

export function renderMarkdown(document: OpenApi): string {
  const base = document.servers[0]?.url ?? '';
  const groups = operationGroups(document).map(({ name, operations }) =>
    [`## ${name}`, ...operations.map((located) => operationText(document, base, located))].join('\n\n'),
  );
  const shapes = Object.entries(document.components.schemas).map(
    ([name, schema]) => `### ${name}\n\n${fieldsText(schema)}`,
  );
  const parts = [
    `# ${document.info.title}`,
    document.info.description,
    'The lines for `curl` work in a shell with `export GATEWAY_URL=<the address of this text, without its name> GATEWAY_KEY=sk-mg-v1-… MANAGEMENT_KEY=mk-mg-v1-…`. For programs there is `openapi.json` beside this text.',
    ...groups,
    '## Shapes',
    ...shapes,
  ];
  return `${parts.join('\n\n')}\n`;
}

function operationText(document: OpenApi, base: string, located: LocatedOperation): string {
  const { path, method, operation } = located;
  const body = operation.requestBody?.content['application/json'];
  const parameters = (operation.parameters ?? []).map(({ name, in: place, required, schema, description = '' }) =>
    `- \`${name}\` (${place}${required ? ', required' : ''}): ${typeOf(schema)}. ${description}`.trimEnd(),
  );
  const answers = Object.entries(operation.responses).map(([status, response]) =>
    answerText(status, resolvedResponse(document, response)),
  );
  return [
    `### ${method} ${base}${path}`,
    `${operation.summary}. ${operation.description}`.trimEnd(),
    fenced(curlLine(located), 'sh'),
    ...(parameters.length > 0 ? [`Parameters:`, parameters.join('\n')] : []),
    ...(body ? ['Body:', mediaText(body)] : []),
    'Answers:',
    ...answers,
  ].join('\n\n');
}

function answerText(status: string, { description, content = {} }: ResponseObject): string {
  const head = `**${status}** ${description}`;
  if (Number(status) >= 400) return head;
  const media = Object.entries(content).map(([type, each]) => `\`${type}\`:\n\n${mediaText(each)}`);
  return [head, ...media].join('\n\n');
}

function mediaText(media: MediaObject): string {
  const { schema, 'x-events': events } = media;
  const described = events
    ? Object.entries(events)
        .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
        .join('\n')
    : fieldsText(schema);
  const examples = examplesOf(media).map(({ summary, value }) => {
    const text = typeof value === 'string' ? value.trimEnd() : JSON.stringify(value, null, 2);
    return `${summary === undefined ? '' : `${summary}:\n\n`}${fenced(text, 'json')}`;
  });
  return [described, ...examples].join('\n\n');
}

function fieldsText(schema: SchemaObject): string {
  const rows = fieldRows(schema);
  if (rows.size === 0) return typeOf(schema);
  return [...rows]
    .map(([path, { isRequired, types, texts }]) => {
      const need = isRequired ? ', required' : '';
      return `- \`${path}\` (${[...types].join(' or ')}${need}) ${[...texts].join(' ')}`.trimEnd();
    })
    .join('\n');
}

/** Returns a text as a code block. Its fence is longer than any fence in the text. */
function fenced(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
