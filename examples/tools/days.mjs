import { z } from 'zod';

/** A custom tool: its name, arguments, result and handler. */
export const tools = [
  {
    name: 'days_between',
    description: 'Counts the days from one date to another',
    category: 'calendar',
    args: z.strictObject({
      from: z.iso.date().describe('The first day, as 2026-11-22'),
      to: z.iso.date().describe('The last day'),
    }),
    output: z.object({ days: z.int() }),
    read_only: true,
    idempotent: true,
    transactional: false,
    handler: async ({ from, to }) => ({ days: (Date.parse(to) - Date.parse(from)) / 86_400_000 }),
  },
];
