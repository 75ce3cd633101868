import { rm } from 'node:fs/promises';
import type { RunGlobals } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  const run = (globalThis as RunGlobals).batchgateRun;
  run?.host.disconnect();
  await run?.server.stop();
  await run?.postgres.stop();
  if (run !== undefined) await rm(run.dataDir, { recursive: true, force: true });
}
