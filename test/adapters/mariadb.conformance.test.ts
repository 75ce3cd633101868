import { PASSWORD, sharedMariaDb } from '../helpers/mariadb';
import { startMariaDbTap } from './mariadb-tap';
import { startMariaDbWorld } from './mariadb-setup';
import { describeSqlConformance } from './sql-conformance';

describeSqlConformance('sql on MariaDB', async () => {
  const tap = await startMariaDbTap((await sharedMariaDb()).port);
  const { run, databases, close, url } = await startMariaDbWorld((direct) => {
    const tapped = new URL(direct);
    tapped.port = String(tap.port);
    return tapped.href;
  });
  return {
    ...tap,
    ...{ databases, run, schema: new URL(url).pathname.slice(1), secret: PASSWORD },
    async close() {
      await close();
      await tap.close();
    },
  };
});
