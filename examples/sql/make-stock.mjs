import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';

/** Creates a small SQLite database with 30 parts in the file of the first argument. */
const file = process.argv[2] ?? 'stock.db';
mkdirSync(dirname(file), { recursive: true });
const database = new Database(file);
database.exec(`
  create table if not exists parts (
    sku text primary key not null,
    name text not null,
    stock integer not null default 0,
    state text not null default 'active' check (state in ('active', 'ended'))
  );
  with n (n) as (values (1) union all select n + 1 from n where n < 30)
  insert or ignore into parts (sku, name, stock)
    select printf('P-%03d', n), 'Part ' || n, case when n <= 12 then 0 else n * 3 end from n;
`);
database.close();
