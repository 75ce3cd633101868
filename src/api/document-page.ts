import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

/** The parts of an OpenAPI document that the page shows. */
export interface OpenApi {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, object> };
}

interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: object }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: { anyOf?: { type?: string }[] } }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>;
}

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { border-bottom: 1px solid; margin-top: 3rem; text-transform: capitalize; }
h3 { margin-bottom: 0; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { overflow-x: auto; border: 1px solid; padding: .5rem; }
table { border-collapse: collapse; }
th, td { border: 1px solid; padding: .25rem .5rem; text-align: left; vertical-align: top; }
nav li { overflow-wrap: anywhere; }
`;

const STYLE_ELEMENT = raw(`<style>${STYLE}</style>`);

/** The page consists of text and style only: it loads nothing and runs no script. */
export const CONTENT_SECURITY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Html = ReturnType<typeof html>;
const json = (value: unknown) => html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
const code = (text: string) => html`<code>${text}</code>`;
const folded = (title: Html, content: Html | Html[]) =>
  html`<details>
    <summary>${title}</summary>
    ${content}
  </details>`;

/** Renders the API's document as a page for people. */
export function documentPage({ info, paths, components }: OpenApi): Html {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      tag: operation.tags?.[0] ?? 'other',
      operation,
    })),
  );
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const schemas = Object.entries(components?.schemas ?? {});
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title} HTTP API</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${info.title} HTTP API ${info.version}</h1>
          <p>${info.description}</p>
          <p>
            Programs read <a href="/openapi.json">/openapi.json</a>. Send a key as
            ${code('Authorization: Bearer KEY')}.
          </p>
          <nav aria-label="Routes">
            <ul>
              ${routes.map(({ title, operation }) => html`<li><a href="#${anchor(title)}">${code(title)}</a> ${operation.summary}</li>`)}
            </ul>
          </nav>
          ${tags.map(
            (tag) =>
              html`<h2>${tag}</h2>
                ${routes.filter((route) => route.tag === tag).map(({ title, operation }) => section(title, operation))}`,
          )}
          <h2>Schemas</h2>
          ${schemas.map(
            ([name, schema]) =>
              html`<section id="${anchor(name)}">${folded(code(name), json(schema))}</section>`,
          )}
        </main>
      </body>
    </html>`;
}

const anchor = (title: string) => title.replace(/[^\w]+/g, '-').toLowerCase();

function section(title: string, operation: Operation): Html {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation;
  const optional = requestBody?.required === false ? ', optional' : '';
  return html`<section id="${anchor(title)}">
    <h3>${code(title)}</h3>
    <p>${[summary, description].filter(Boolean).join('. ')}</p>
    ${parameters.length > 0 ? parameterTable(parameters) : ''}
    ${Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      folded(html`Body ${code(type)}${optional}`, json(schema)),
    )}
    ${Object.entries(responses).map(([status, { description: meaning, content = {} }]) =>
      folded(
        html`${code(status)} ${meaning}`,
        Object.values(content).map(({ schema }) => json(schema)),
      ),
    )}
  </section>`;
}

const parameterTable = (parameters: NonNullable<Operation['parameters']>): Html =>
  html`<table>
    <thead>
      <tr>
        <th>Parameter</th>
        <th>In</th>
        <th>Schema</th>
      </tr>
    </thead>
    <tbody>
      ${parameters.map(
        ({ name, in: place, required, schema }) =>
          html`<tr>
            <td>${code(name)}${required ? ' (required)' : ''}</td>
            <td>${place}</td>
            <td>${code(JSON.stringify(schema))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
