import { touch } from '../../src/client';
import { jsonb } from '../../src/postgres/store/schema';
import type { Path } from './stage';

const OLD = '2026-01-01T00:00:00.000Z';

/** In this order: where nobody was ever here, then after somebody was. */
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
