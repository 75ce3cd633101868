import { z } from 'zod';
import type { MacroDependencies } from '../../activities/shared/dependencies';
import { macrosOf, tool } from '../helpers/macro-tools';

/** The tools of recorded macros: `work` does what its arguments tell, `say` runs SQL within the transaction. */
export const MACRO_TOOLS: MacroDependencies = macrosOf(
  [
    tool('work', z.looseObject({ id: z.unknown() }), async (args, { signal }) => {
      if (args['fails'] === true) throw new Error('it broke');
      if (args['waits'] === true)
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        );
      return { did: args['id'] };
    }),
    {
      ...tool('say', z.strictObject({ text: z.string() }), ({ text }, { database }) =>
        database?.query(text as string),
      ),
      transactional: true,
    },
  ],
  {
    limits: () => Promise.resolve({ at_once: 2, calls: 50 }),
    model: {
      ask: ({ prompt }) => Promise.resolve({ output: prompt.length, tokens: { input: 5, output: 1 } }),
    },
  },
);
