import type {
  EventTexts,
  MediaObject,
  OpenApi,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from './openapi-types.ts';

/**
 * The document as one page of plain HTML: no script, nothing loaded, so that it can be read anywhere, even with curl,
 * and needs no trust. Viewers that run scripts can be pointed at /openapi.json.
 */
export function renderPage(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
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
<p>The same for programs: <a href="openapi.json">openapi.json</a>. The lines for <code>curl</code> work in a shell with
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

interface Located {
  path: string;
  method: string;
  operation: OperationObject;
}

function renderIndex({ name, operations }: { name: string; operations: Located[] }): string {
  const items = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${anchor(operation.operationId)}"><code>${method}</code> ${escape(path)}</a></li>`,
  );
  return `<h2>${escape(name)}</h2><ul>${items.join('')}</ul>`;
}

/**
 * A line to paste into a shell that has the base URL and the keys in its environment, and what its path and query need in
 * variables of their names.
 */
export function curlLine({ path, method, operation }: Located): string {
  const body = operation.requestBody?.content['application/json'];
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => anywhere[name] ?? `$${variable(name)}`);
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required);
  const asked = query.map(({ name }) => `${name}=$${variable(name)}`).join('&');
  const credential = operation['x-credential'];
  const key = credential === 'management' ? '$MANAGEMENT_KEY' : '$GATEWAY_KEY';
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$GATEWAY_URL${place}${asked && `?${asked}`}"`,
    ...(credential === 'none' ? [] : [`-H "authorization: Bearer ${key}"`]),
    ...(body?.example === undefined
      ? []
      : ['-H "content-type: application/json"', `-d ${quoted(JSON.stringify(body.example))}`]),
  ].join(' \\\n  ');
}

/** Values of parts of a path that every gateway has. */
const anywhere: Record<string, string> = { slug: 'sandbox/claude', interval: 'monthly' };

/** `memberId` is MEMBER_ID. */
function variable(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function renderOperation(document: OpenApi, base: string, located: Located): string {
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
      `<tr><td><code>${escape(name)}</code> <small>${place}${required ? ', required' : ''}</small></td><td>${typeOf(schema)}</td><td>${prose(description ?? '')}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function renderResponse(document: OpenApi, status: string, response: ResponseObject | { $ref: string }): string {
  const resolved = '$ref' in response ? document.components.responses[lastPart(response.$ref)]! : response;
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

/** A field of one or several shapes that a value may have. */
interface Row {
  isRequired: boolean;
  types: Set<string>;
  texts: Set<string>;
}

/** An object's fields as a table, those of objects within it among them; anything else as its type. */
function renderFields(schema: SchemaObject): string {
  const rows = new Map<string, Row>();
  addRows(rows, schema, '');
  if (rows.size === 0) return `<p>${typeOf(schema)}</p>`;
  const lines = [...rows].map(([path, { isRequired, types, texts }]) => {
    const need = isRequired ? ' <small>required</small>' : '';
    return `<tr><td><code>${escape(path)}</code>${need}</td><td>${[...types].join(' or ')}</td><td>${[...texts].join(' ')}</td></tr>`;
  });
  return `<table>${lines.join('')}</table>`;
}

/** @param prefix of the names: `provider.` for the fields of `provider` */
function addRows(rows: Map<string, Row>, schema: SchemaObject, prefix: string): void {
  for (const object of objectsIn(schema)) {
    for (const [name, field] of Object.entries(object.properties!)) {
      const path = prefix + name;
      const row = rows.get(path) ?? { isRequired: false, types: new Set(), texts: new Set() };
      rows.set(path, row);
      row.isRequired ||= object.required?.includes(name) === true;
      row.types.add(typeOf(field));
      // Where several shapes have a field, and each its own value in it, the values are the text.
      if (field.description && !(field.const !== undefined && schema !== object))
        row.texts.add(prose(field.description));
      addRows(rows, field, `${path}.`);
    }
  }
}

/** The objects that a value may be, or may be a list of. */
function objectsIn(schema: SchemaObject): SchemaObject[] {
  if (schema.properties) return [schema];
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? schema.oneOf ?? [])];
  return inner.flatMap(objectsIn);
}

function typeOf(schema: SchemaObject): string {
  if (schema.$ref) return `<a href="#${anchor(lastPart(schema.$ref))}">${escape(lastPart(schema.$ref))}</a>`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return `<code>${escape(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escape(String(value))}</code>`).join(' ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.properties) return 'object';
  return `${escape([schema.type ?? 'any'].flat().join(' or '))}${boundsOf(schema)}`;
}

function boundsOf({
  type,
  minimum,
  exclusiveMinimum,
  maximum,
  minLength,
  maxLength,
  format,
  default: fallback,
}: SchemaObject): string {
  const parts = [
    ...(format ? [format] : []),
    ...(exclusiveMinimum === undefined || type === 'integer' ? [] : [`above ${exclusiveMinimum}`]),
    ...rangeOf(minimum ?? (exclusiveMinimum === 0 && type === 'integer' ? 1 : undefined), maximum),
    ...(minLength === undefined && maxLength === undefined
      ? []
      : [maxLength === undefined ? `not empty` : `${minLength ?? 0} to ${maxLength} characters`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  return parts.length > 0 ? ` <small>(${escape(parts.join(', '))})</small>` : '';
}

/** Bounds that are only those of all whole numbers say nothing. */
function rangeOf(minimum: number | undefined, maximum: number | undefined): string[] {
  const least = minimum === -Number.MAX_SAFE_INTEGER ? undefined : minimum;
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (most === undefined) return least === undefined ? [] : [`from ${least}`];
  return [`${least ?? ''}..${most}`];
}

/** Text with `code` in it. */
function prose(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function anchor(name: string): string {
  return name.replace(/[^\w-]/g, '-');
}

function lastPart(reference: string): string {
  return reference.split('/').at(-1)!;
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
