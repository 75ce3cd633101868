import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Role } from '../contract/access';
import { packageVersion } from '../host/version';
import type { Api } from './context';
import { CONTENT_SECURITY, documentPage, type OpenApi } from './document-page';
import { permissionOf } from './guard';
import { sendPage } from './pages/send';
import { problemResponse } from './problems';
import { registry } from './schemas';

/** Describes every route by the schemas that validate its requests. */
export async function describe(api: Api, baseUrl: string | undefined): Promise<void> {
  const options = { schemaRegistry: registry, zodToJsonConfig: { override: addMeaning } };
  const transformDocument = createJsonSchemaTransformObject(options);
  const ofRoute = createJsonSchemaTransform(options);
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'batchgate',
        version: packageVersion(),
        description: 'Durable bulk operations: one confirmation runs exactly one batch.',
      },
      servers: [{ url: baseUrl ?? '/' }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: (document) => {
      const described = ofRoute(document);
      const permission = permissionOf([document.route.method].flat()[0] ?? 'GET', document.url);
      const { open } = document.route.config ?? {};
      const schema = {
        ...described.schema,
        ...(permission && {
          summary: permission.does,
          description: rolesText(permission.roles, described.schema),
        }),
        ...(open && { security: [] }),
      };
      return { ...described, schema };
    },
    transformObject: (document) => optionalBodies(withoutUnused(transformDocument(document) as OpenApi)),
  });
}

function rolesText(roles: readonly Role[], schema: object): string {
  const { description } = schema as { description?: string };
  return [...(description === undefined ? [] : [description]), `Roles: ${roles.join(', ')}.`].join(' ');
}

/** Adds the descriptions and bounds of fields. The library reads them only from its own registry. */
function addMeaning({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}) {
  const { id: _, clamp: __, ...meaning } = z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(jsonSchema, meaning);
  if (zodSchema._zod.def.type === 'undefined') jsonSchema.type = 'null';
  // The library writes an empty schema for any value.
  if (jsonSchema.anyOf)
    jsonSchema.anyOf = jsonSchema.anyOf.filter((schema) => Object.keys(schema).length > 0);
}

/** Removes unused schemas. The library also describes each named schema as an input, whether or not it is used. */
function withoutUnused(document: OpenApi): OpenApi {
  const schemas = document.components?.schemas ?? {};
  const used = new Set<string>();
  const use = (value: object) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      use(schemas[name] ?? {});
    }
  };
  use(document.paths);
  const entries = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(entries) } };
}

/** Marks each body that may be null as optional. */
function optionalBodies(document: OpenApi): never {
  for (const { requestBody } of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const { anyOf = [] } = requestBody?.content['application/json']?.schema ?? {};
    if (requestBody && anyOf.some(({ type }) => type === 'null')) requestBody.required = false;
  }
  return document as never;
}

/** Serves the document as JSON and as a page. */
export function addDocumentRoutes(api: Api): void {
  const tags = ['system'];
  const response = { 200: z.record(z.string(), z.unknown()), ...problemResponse };
  api.get(
    '/openapi.json',
    { schema: { operationId: 'getDocument', tags, response } },
    () => api.swagger() as never,
  );
  void api.register((pages: Api, _, done) => {
    pages.addHook('onSend', async (_request, reply) => {
      void reply.header('content-security-policy', CONTENT_SECURITY);
    });
    const page = {
      200: { description: 'A page', content: { 'text/html': { schema: z.string() } } },
      ...problemResponse,
    };
    pages.get('/docs', { schema: { operationId: 'getDocumentPage', tags, response: page } }, (_, reply) =>
      sendPage(reply, documentPage(api.swagger() as unknown as OpenApi)),
    );
    done();
  });
}
