import { randomUUID } from 'node:crypto';
import { connectClient } from '../../src/host/temporal/connection';
import { ensureNamespace } from '../../src/host/temporal/dev-server';
import { newStoreUrl } from './store';

/**
 * Settings with which `up` uses the run's Temporal server and PostgreSQL, with a separate namespace and store. It then
 * starts in a fraction of the time that a server and an embedded store of its own would need.
 */
export async function sharedBackend(): Promise<Record<string, string>> {
  const address = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
  const namespace = `test-${randomUUID()}`;
  const connection = await connectClient({ address });
  await ensureNamespace(connection, namespace);
  await connection.close();
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    BATCHGATE_DATABASE_URL: await newStoreUrl(),
  };
}
