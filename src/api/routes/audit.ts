import { Readable } from 'node:stream';
import { z } from 'zod';
import { exportAudit } from '../../client';
import { auditCommand, auditRequestOf } from '../../commands/audit';
import type { OwnRoute } from '../commands';
import type { ApiContext } from '../context';

/** The lines are sent while they are read. */
export const auditRoute = ({ client, taskQueue }: ApiContext): OwnRoute => ({
  response: {
    200: {
      description: 'The lines of the export',
      content: { 'application/jsonl': { schema: z.string() } },
    },
  },
  async answer(input: z.output<typeof auditCommand.input>, caller, _, reply) {
    const first = await auditCommand.run(client, input, caller);
    const lines = exportAudit(client, auditRequestOf(input), taskQueue, first);
    return reply.type('application/jsonl; charset=utf-8').send(Readable.from(ended(lines)));
  },
});

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
