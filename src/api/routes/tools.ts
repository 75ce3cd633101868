import { z } from 'zod';
import { upTo } from '../../contract/text';
import { TOOL_CALLERS, TOOL_TRAITS, toolDescriptionSchema } from '../../contract/tools';
import { toolsFor } from '../../mcp/tools';
import type { Api, ApiContext } from '../context';
import { problemResponse } from '../problems';
import { listOf } from '../schemas';

const querystring = z.object({
  domain: upTo(150).optional().describe('Only those of this category'),
  caller: z.enum(TOOL_CALLERS).optional().describe('Only those that this caller may use'),
  tag: z.enum(TOOL_TRAITS).optional().describe('Only those with this trait'),
});

/** The tools of a worker with this configuration. */
export function addToolRoutes(api: Api, { describeTools }: ApiContext): void {
  const response = { 200: listOf(toolDescriptionSchema), ...problemResponse };
  const schema = { operationId: 'listTools', tags: ['settings'], querystring, response };
  api.get('/v1/tools', { schema }, async (request) => {
    const { domain: category, caller, tag: trait } = request.query;
    return { items: await toolsFor(describeTools, { category, caller, trait }) };
  });
}
