import { touch } from '../../src/client';
import { jsonb } from '../../src/postgres/store/schema';
import type { Path } from './stage';

const OLD = '2026-01-01T00:00:00.000Z';

/** The order matters: the first path needs a queue where nobody has been active yet. */
export const HYGIENE: Record<string, Path> = {
  'hygiene-where-nobody-was': async ({ harness, begin, handle }) => {
    const entry = { session_id: 'idle', key: 'found', value: jsonb([1]), updated_at: OLD };
    await harness.store.db.insertInto('scratchpad').values(entry).execute();
    await begin('hygiene');
    await handle.result();
  },
  'hygiene-in-the-cooldown': async ({ harness, begin, handle }) => {
    await touch(harness.client, { by: 'ana' }, harness.taskQueue);
    await begin('hygiene');
    await handle.result();
  },
};
