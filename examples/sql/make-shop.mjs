import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/** Creates a small embedded database with 40 customers in the folder of the first argument. */
const folder = process.argv[2] ?? 'shop';
await mkdir(folder, { recursive: true });
const database = await PGlite.create(join(folder, 'data'));
await database.exec(`
  create table if not exists customers (
    id integer primary key,
    name text not null,
    state text not null default 'active' check (state in ('active', 'dormant')),
    last_order date
  );
  insert into customers
    select n, 'Customer ' || n, 'active', date '2022-01-01' + n * 30 from generate_series(1, 40) n
    on conflict do nothing;
`);
await database.close();
