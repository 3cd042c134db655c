import type {
  EventTexts,
  MediaObject,
  OpenApi,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from './openapi-types.ts';
import {
  curlLine,
  fieldRows,
  operationGroups,
  resolvedResponse,
  typeOf,
  type LocatedOperation,
  type Marks,
  type OperationGroup,
} from './reference.ts';

/**
 * The document as one page of plain HTML: no script, nothing loaded, so that it can be read anywhere, even with curl,
 * and needs no trust. Viewers that run scripts can be pointed at /openapi.json.
 */
export function renderPage(document: OpenApi): string {
  const groups = operationGroups(document);
  const base = document.servers[0]?.url ?? '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escape(document.info.title)}</title><style>${style}</style></head><body>
<nav><b>${escape(document.info.title)}</b>${groups.map(renderIndex).join('')}<h2>Shapes</h2><ul>${Object.keys(
    document.components.schemas,
  )
    .map((name) => `<li><a href="#${anchor(name)}">${escape(name)}</a></li>`)
    .join('')}</ul></nav>
<main><h1>${escape(document.info.title)}</h1><p>${prose(document.info.description)}</p>
<p>The same as text: <a href="docs.md">docs.md</a>, for programs: <a href="openapi.json">openapi.json</a>. The lines for <code>curl</code> work in a shell with
<code>export GATEWAY_URL=&lt;the address of this page, without /docs&gt; GATEWAY_KEY=sk-mg-v1-… MANAGEMENT_KEY=mk-mg-v1-…</code></p>
${groups
  .map(
    ({ name, operations: members }) =>
      `<h2>${escape(name)}</h2>${members.map((member) => renderOperation(document, base, member)).join('\n')}`,
  )
  .join('\n')}
<h2>Shapes</h2>${Object.entries(document.components.schemas).map(renderShape).join('\n')}
</main></body></html>
`;
}

function renderIndex({ name, operations }: OperationGroup): string {
  const items = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${anchor(operation.operationId)}"><code>${method}</code> ${escape(path)}</a></li>`,
  );
  return `<h2>${escape(name)}</h2><ul>${items.join('')}</ul>`;
}

function renderOperation(document: OpenApi, base: string, located: LocatedOperation): string {
  const { path, method, operation } = located;
  const body = operation.requestBody?.content['application/json'];
  return `<section id="${anchor(operation.operationId)}"><h3><code>${method} ${escape(base + path)}</code></h3>
<p><b>${escape(operation.summary)}.</b> ${prose(operation.description)}</p>
<pre>${escape(curlLine(located))}</pre>
${operation.parameters?.length ? `<h4>Parameters</h4>${renderParameters(operation.parameters)}` : ''}
${body ? `<h4>Body</h4>${renderMedia(body)}` : ''}
<h4>Answers</h4>${Object.entries(operation.responses)
    .map(([status, response]) => renderResponse(document, status, response))
    .join('')}</section>`;
}

function renderParameters(parameters: ParameterObject[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      `<tr><td><code>${escape(name)}</code> <small>${place}${required ? ', required' : ''}</small></td><td>${typeOf(schema, marks)}</td><td>${prose(description ?? '')}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderResponse(document: OpenApi, status: string, response: ResponseObject | { $ref: string }): string {
  const resolved = resolvedResponse(document, response);
  if (Number(status) >= 400) return `<p><b>${status}</b> ${prose(resolved.description)}</p>`;
  const media = Object.entries(resolved.content ?? {}).map(
    ([type, content]) => `<p><code>${escape(type)}</code></p>${renderMedia(content)}`,
  );
  return `<p><b>${status}</b> ${prose(resolved.description)}</p>${media.join('')}`;
}

function renderMedia({ schema, example, 'x-events': events }: MediaObject): string {
  const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
  const sample = example === undefined ? '' : `<pre>${escape(text)}</pre>`;
  return `${events ? renderEvents(events) : renderFields(schema)}${sample}`;
}

function renderEvents(events: EventTexts): string {
  const rows = Object.entries(events).map(
    ([name, text]) => `<tr><td><code>${escape(name)}</code></td><td>${prose(text)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderShape([name, schema]: [string, SchemaObject]): string {
  return `<section id="${anchor(name)}"><h3>${escape(name)}</h3>${renderFields(schema)}</section>`;
}

/** An object's fields as a table, those of objects within it among them; anything else as its type. */
function renderFields(schema: SchemaObject): string {
  const rows = fieldRows(schema, marks);
  if (rows.size === 0) return `<p>${typeOf(schema, marks)}</p>`;
  const lines = [...rows].map(([path, { isRequired, types, texts }]) => {
    const need = isRequired ? ' <small>required</small>' : '';
    return `<tr><td><code>${escape(path)}</code>${need}</td><td>${[...types].join(' or ')}</td><td>${[...texts].join(' ')}</td></tr>`;
  });
  return `<table>${lines.join('')}</table>`;
}

const marks: Marks = {
  text: escape,
  code: (text) => `<code>${escape(text)}</code>`,
  small: (text) => `<small>${escape(text)}</small>`,
  shape: (name) => `<a href="#${anchor(name)}">${escape(name)}</a>`,
  prose,
};

/** Text with `code` in it. */
function prose(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function anchor(name: string): string {
  return name.replace(/[^\w-]/g, '-');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:15px/1.5 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:20rem minmax(0,60rem)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;box-sizing:border-box;border-right:1px solid var(--line);font-size:13px}
nav ul{list-style:none;padding:0;margin:0}nav li{overflow-wrap:anywhere}nav h2{font-size:13px;margin:1rem 0 .25rem}
main{padding:1rem 2rem}section{border-top:1px solid var(--line);padding:.5rem 0 1rem}
h3{margin:.5rem 0;overflow-wrap:anywhere}h4{margin:.75rem 0 .25rem}p{margin:.35rem 0}
table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:.2rem .6rem .2rem 0;vertical-align:top;overflow-wrap:anywhere}td:nth-child(1){width:30%}td:nth-child(3){width:45%}
code{background:var(--soft);padding:0 .2em;border-radius:3px}pre{background:var(--soft);padding:.75rem;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:5px}
a{color:inherit}@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}}`;
