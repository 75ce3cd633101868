import { z } from 'zod';
import { getProfile, setProfile } from '../../client';
import { profileChangesSchema, profileSchema } from '../../contract/profile';
import { idSchema, upTo } from '../../contract/text';
import {
  TOOL_CALLERS,
  TOOL_TRAITS,
  toolDescriptionSchema,
  type ToolDescription,
  type ToolTrait,
} from '../../contract/tools';
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
      const { domain, caller, tag } = request.query;
      const items = (await describeTools()).filter(
        (tool) =>
          (domain === undefined || tool.category === domain) &&
          (caller === undefined || tool.callers.includes(caller)) &&
          (tag === undefined || HAS[tag](tool)),
      );
      return { items };
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

const HAS: Record<ToolTrait, (tool: ToolDescription) => boolean> = {
  read_only: ({ read_only }) => read_only,
  changing: ({ read_only }) => !read_only,
  idempotent: ({ idempotent }) => idempotent,
  transactional: ({ transactional }) => transactional,
};
