import { PASSWORD, sharedPostgres } from '../helpers/postgres';
import { startPostgresTap } from './postgres-tap';
import { describeSqlConformance } from './sql-conformance';
import { databasesAt, runIn } from './sql-setup';

const postgres = sharedPostgres();

describeSqlConformance('sql', async () => {
  const url = await postgres.newDatabase();
  const tap = await startPostgresTap(postgres.port);
  const tapped = new URL(url);
  tapped.port = String(tap.port);
  const databases = databasesAt({ truth: url, shop: tapped.href });
  return {
    ...tap,
    databases,
    run: (text) => runIn(databases, 'truth', text),
    schema: 'public',
    secret: PASSWORD,
    async close() {
      await tap.close();
      await databases.close();
    },
  };
});
