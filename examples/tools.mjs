/**
 * The tools that the macros in examples/macros call. A module like this is named under "tools" in
 * batchgate.config.json; it exports them as `tools`.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

const id = z.string().min(1).max(150).describe('What it is about');

export const tools = [
  {
    name: 'heavy_computation',
    description: 'Works on something for a while, and answers what came of it.',
    category: 'examples',
    args: z.strictObject({ id }),
    read_only: true,
    idempotent: true,
    transactional: false,
    handler({ id }, { signal }) {
      let digest = id;
      for (let round = 0; round < 20_000; round++) {
        signal.throwIfAborted();
        digest = createHash('sha256').update(digest).digest('hex');
      }
      return Promise.resolve({ id, digest });
    },
  },
  {
    name: 'update_record',
    description: 'Marks a user as updated, in the transaction of the macro.',
    category: 'examples',
    args: z.strictObject({ id }),
    read_only: false,
    idempotent: false,
    transactional: true,
    async handler({ id }, { database }) {
      const rows = await database.query('update users set updated_at = now() where id = $1 returning id', [
        id,
      ]);
      if (rows.length === 0) throw new Error(`there is no user ${id}`);
      return { updated: rows.length };
    },
  },
  {
    name: 'insert_log',
    description: 'Writes a line into the audit log, in the transaction of the macro.',
    category: 'examples',
    args: z.strictObject({ msg: z.string().min(1).describe('The line') }),
    read_only: false,
    idempotent: false,
    transactional: true,
    async handler({ msg }, { database }) {
      const [row] = await database.query('insert into audit_log (message) values ($1) returning id', [msg]);
      return { id: row?.id };
    },
  },
  {
    name: 'process_item',
    description: 'Marks an item as processed, in the transaction of the macro.',
    category: 'examples',
    args: z.strictObject({ id }),
    read_only: false,
    idempotent: false,
    transactional: true,
    async handler({ id }, { database }) {
      await database.query(
        'insert into processed_items (id) values ($1) on conflict (id) do update set processed_at = now()',
        [id],
      );
      return { processed: id };
    },
  },
];
