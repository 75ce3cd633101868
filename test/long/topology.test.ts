import { check } from '../../scripts/topology/check';
import { startTopology } from '../../scripts/topology/stack';
import { loadConfig } from '../../src/host/config';

// If the cache has no Temporal server, it is built from source, which takes minutes.
jest.setTimeout(1_800_000);

it('runs an operation over the parts of production, and finishes it after one of its workers is killed', async () => {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const topology = await startTopology(loadConfig(), 2, say);
  try {
    await Promise.race([topology.ended, check(topology, say)]);
  } finally {
    await topology.stop();
  }
  expect(said.at(-1)).toBe('50 of 50, and a report of 50 rows.');
});
