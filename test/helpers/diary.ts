import { z } from 'zod';
import { parseAction } from '../../activities/adapters/shared/actions';
import type { BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems } from './harness';

const moment = z.iso.datetime({ offset: true });
const actions: BulkAdapter['actions'] = {
  mark: {
    description: 'Arrange entries',
    query: z
      .strictObject({
        text: z.string().min(1).max(50).optional().describe('Words of the entry'),
        since: moment.optional().describe('Entries after this moment (RFC 3339)'),
        whole_series: z.boolean().optional(),
      })
      .refine(({ text, since }) => (text ?? since) !== undefined, { params: { missing: 'text or since' } }),
    change: z
      .strictObject({
        shift_minutes: z.number().int().min(-100).max(100),
        notify_guests: z.boolean().optional(),
        due_at: moment.nullable().optional().describe('The new time, or null to clear it'),
        colour: z.enum(['dark_red', 'blue']).optional(),
        seats: z.array(z.string().max(5)).optional(),
      })
      .refine(({ shift_minutes, notify_guests }) => shift_minutes !== 13 || notify_guests === undefined, {
        error: 'shift_minutes cannot be 13 together with notify_guests',
      }),
  },
};

interface Diary {
  adapter: BulkAdapter;
  /** The parameters that the tool received, in order. */
  prepared: Record<string, unknown>[];
}

/** A tool with parameters of every kind. It has no entry “Nowhere”. */
export function createDiary(): Diary {
  const base = createFakeAdapter({
    toolName: 'diary',
    items: () => manyItems(6),
    itemNoun: { one: 'entry', many: 'entries' },
    apply: () => Promise.resolve(),
  });
  const prepared: Diary['prepared'] = [];
  return {
    prepared,
    adapter: {
      ...base,
      actions,
      prepare(request, limits) {
        prepared.push({ ...request.params });
        parseAction('diary', actions, request);
        if (request.params['text'] === 'Nowhere')
          throw new BatchgateError('INVALID_INPUT', "Entry 'Nowhere' not found", 'Check its name.');
        const params = request.explicit_items ? {} : { group: 'all' };
        return base.prepare({ ...request, params }, limits);
      },
      suggest: ({ parameter, params }) =>
        Promise.resolve(parameter === 'text' ? ['Monday review', `of ${JSON.stringify(params)}`] : []),
    },
  };
}
