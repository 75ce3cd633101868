import { describeSqlConformance } from './sql-conformance';
import { startSqlite } from './sqlite-setup';
import { tapSqlite } from './sqlite-tap';

const IN_THIS_PROCESS = 'statements run in this process, one at a time, and each has an answer';

describeSqlConformance(
  'sql on SQLite',
  async () => {
    const { databases, run, close } = await startSqlite();
    return { ...tapSqlite(databases), run, schema: 'main', secret: 'no-secret-is-in-a-file', close };
  },
  {
    'bounds-its-concurrency': IN_THIS_PROCESS,
    'gives-up-in-time': IN_THIS_PROCESS,
    'hears-an-abort': IN_THIS_PROCESS,
  },
);
