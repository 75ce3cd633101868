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

/** Describes every route by the schemas that check its requests. */
export async function describe(api: Api, baseUrl: string | undefined): Promise<void> {
  const named = createJsonSchemaTransformObject({ schemaRegistry: registry });
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
      const made = createJsonSchemaTransform({ schemaRegistry: registry })(document);
      const permission = permissionOf([document.route.method].flat()[0] ?? 'GET', document.url);
      const { open } = document.route.config ?? {};
      const schema = {
        ...made.schema,
        ...(permission && {
          summary: permission.does,
          description: rolesText(permission.roles, made.schema),
        }),
        ...(open && { security: [] }),
      };
      return { ...made, schema };
    },
    transformObject: (document) => optionalBodies(named(document) as OpenApi),
  });
}

function rolesText(roles: readonly Role[], schema: object): string {
  const { description } = schema as { description?: string };
  return [...(description === undefined ? [] : [description]), `Roles: ${roles.join(', ')}.`].join(' ');
}

/** A body that may be null is optional. */
function optionalBodies(document: OpenApi): never {
  for (const { requestBody } of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const { anyOf = [] } = requestBody?.content['application/json']?.schema ?? {};
    if (requestBody && anyOf.some(({ type }) => type === 'null')) requestBody.required = false;
  }
  return document as never;
}

/** The document for programs, and as a page. */
export function addDocumentRoutes(api: Api): void {
  const tags = ['system'];
  const response = { 200: z.record(z.string(), z.unknown()), ...problemResponse };
  api.get('/openapi.json', { schema: { tags, response } }, () => api.swagger() as never);
  void api.register((pages: Api, _, done) => {
    pages.addHook('onSend', async (_request, reply) => {
      void reply.header('content-security-policy', CONTENT_SECURITY);
    });
    const page = {
      200: { description: 'A page', content: { 'text/html': { schema: z.string() } } },
      ...problemResponse,
    };
    pages.get('/docs', { schema: { tags, response: page } }, (_, reply) =>
      sendPage(reply, documentPage(api.swagger() as unknown as OpenApi)),
    );
    done();
  });
}
