import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchgateError } from '../../src/contract/errors';
import { withLock } from '../../src/lock';

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const stuck = new BatchgateError('INTERNAL', 'stuck', 'none');

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** How many were inside at the most, of eight who want in at once. */
async function crowd(): Promise<number> {
  let inside = 0;
  let most = 0;
  const enter = () =>
    withLock(lock, stuck, async () => {
      most = Math.max(most, ++inside);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      inside--;
    });
  await Promise.all(Array.from({ length: 8 }, enter));
  return most;
}

it('lets one in at a time, again and again, over what a dead holder left', async () => {
  const dead = String(await deadPid());
  for (let round = 0; round < 25; round++) {
    await writeFile(lock, dead);
    expect(await crowd()).toBe(1);
  }
  expect(await readdir(folder)).toEqual([]);
}, 120_000);

it('is not held for ever by one that died before it wrote who it is, or while it cleared the lock of another', async () => {
  const dead = String(await deadPid());
  await writeFile(lock, '');
  await utimes(lock, new Date(0), Date.now() / 1_000 - 60);
  await writeFile(`${lock}.stale`, dead);
  expect(await crowd()).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});
