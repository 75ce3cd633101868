import { z } from 'zod';
import { getProfile, setProfile } from '../../client';
import { profileChangesSchema, profileSchema } from '../../contract/profile';
import { idSchema, upTo } from '../../contract/text';
import { TOOL_CALLERS, TOOL_TRAITS, toolDescriptionSchema } from '../../contract/tools';
import { toolsFor } from '../../mcp/tools';
import type { Api, ApiContext } from '../context';
import { problemResponse } from '../problems';
import { listOf } from '../schemas';

/** Tools, and the limits of profiles. */
export function addSettingsRoutes(api: Api, { client, taskQueue, describeTools }: ApiContext): void {
  const tags = ['settings'];
  api.get(
    '/v1/tools',
    {
      schema: {
        tags,
        querystring: z.object({
          domain: upTo(150).optional(),
          caller: z.enum(TOOL_CALLERS).optional(),
          tag: z.enum(TOOL_TRAITS).optional(),
        }),
        response: { 200: listOf(toolDescriptionSchema), ...problemResponse },
      },
    },
    async (request) => {
      const { domain: category, caller, tag: trait } = request.query;
      return { items: await toolsFor(describeTools, { category, caller, trait }) };
    },
  );
  const params = z.object({ profile: idSchema(150) });
  const response = { 200: profileSchema, ...problemResponse };
  api.get('/v1/profiles/:profile', { schema: { tags, params, response } }, (request) =>
    getProfile(client, request.params.profile, taskQueue),
  );
  api.patch(
    '/v1/profiles/:profile',
    { schema: { tags, params, body: profileChangesSchema, response } },
    (request) => setProfile(client, request.body, request.params.profile, taskQueue),
  );
}
