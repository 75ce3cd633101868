import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/** Creates the embedded databases of the examples, users_db and audit_db, in the folder of the first argument. */
const TABLES = {
  users_db: `
    create table if not exists users (id text primary key, name text not null, updated_at timestamptz);
    insert into users values ('123', 'Ana'), ('124', 'Ben') on conflict do nothing;
    create table if not exists processed_items (id text primary key, processed_at timestamptz not null default now());
  `,
  audit_db: `
    create table if not exists audit_log (
      id bigint generated always as identity primary key,
      message text not null,
      at timestamptz not null default now()
    );
  `,
};

const folder = process.argv[2] ?? '.batchgate';
for (const [name, tables] of Object.entries(TABLES)) {
  await mkdir(join(folder, name), { recursive: true });
  const database = await PGlite.create(join(folder, name, 'data'));
  await database.exec(tables);
  await database.close();
}
