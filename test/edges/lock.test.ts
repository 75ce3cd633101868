import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { BatchgateError } from '../../src/contract/errors';
import { livingRecord, findHolder, isHeld, tryHold, withLock } from '../../src/host/lock';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const stuck = new BatchgateError('INTERNAL', 'stuck', 'none');

/** A process that holds the lock and does nothing else. */
async function startHolder(path = lock): Promise<ChildProcess> {
  const code = `require('./src/host/lock').tryHold(process.argv[1]).then(() => console.log('held'));
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, [...RUN_TYPESCRIPT, '-e', code, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** The largest number of callers inside the lock at a time, when eight enter at once. */
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

it('admits one holder at a time, repeatedly, and leaves nothing behind', async () => {
  for (let round = 0; round < 10; round++) expect(await crowd()).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

it('removes what a killed starter left behind, and nothing of a living one', async () => {
  // Once a starter has created its socket, its folder looks like a held lock, so a held lock stands in for it.
  const left = `${lock}.new-killed`;
  const starting = `${lock}.new-living`;
  await kill(await startHolder(left));
  await mkdir(`${lock}.new-empty`);
  await mkdir(`${lock}.new-young`);
  const living = await startHolder(starting);
  const long = new Date(Date.now() - 3_600_000);
  for (const old of [left, starting, `${lock}.new-empty`]) await utimes(old, long, long);
  const held = await tryHold(lock);
  expect((await readdir(folder)).sort()).toEqual(['lock', 'lock.new-living', 'lock.new-young']);
  await held?.release();
  await kill(living);
});

it('stays with a suspended holder, and is free once its holder is killed', async () => {
  const holder = await startHolder();
  expect(await tryHold(lock)).toBeUndefined();
  holder.kill('SIGSTOP');
  expect(await isHeld(lock)).toBe(true);
  const seen = await findHolder(lock);
  expect(seen?.pid).toBe(holder.pid);
  await kill(holder);
  await seen?.released;
  expect(await isHeld(lock)).toBe(false);
  expect(await crowd()).toBe(1);
});

it('wakes the waiting processes when its holder is killed', async () => {
  const holder = await startHolder();
  const entered = withLock(lock, stuck, () => Promise.resolve('in'));
  await kill(holder);
  expect(await entered).toBe('in');
});

it('stays held while a child that inherited it lives', async () => {
  const held = await tryHold(lock);
  const child = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore', held?.fd] });
  await held?.handOver();
  expect(await tryHold(lock)).toBeUndefined();
  await kill(child);
  const next = await tryHold(lock);
  expect(next).toBeDefined();
  await next?.release();
});

it('works in a folder whose path is too long for a socket', async () => {
  const deep = join(folder, 'd'.repeat(120));
  await mkdir(deep);
  const holder = await startHolder(join(deep, 'lock'));
  expect(await tryHold(join(deep, 'lock'))).toBeUndefined();
  await kill(holder);
  await (await tryHold(join(deep, 'lock')))?.release();
  expect(await readdir(deep)).toEqual([]);
});

describe('a record of a living holder', () => {
  const schema = z.object({ pid: z.number() });

  it('is valid while its lock is held, and not for a later holder with the same process id', async () => {
    const record = livingRecord(join(folder, 'it.json'), lock, schema);
    const first = await tryHold(lock);
    if (!first) throw new Error('the lock is taken');
    await record.write(first, { pid: process.pid });
    expect(await record.read()).toEqual({ pid: process.pid });
    expect(JSON.parse(await readFile(join(folder, 'it.json'), 'utf8'))).toMatchObject({ lock: first.token });
    await first.release();
    expect(await record.read()).toBeUndefined();
    const second = await tryHold(lock);
    expect(await record.read()).toBeUndefined();
    await second?.release();
  });

  it('is absent if the file is damaged', async () => {
    const held = await tryHold(lock);
    await writeFile(join(folder, 'it.json'), '{');
    expect(await livingRecord(join(folder, 'it.json'), lock, schema).read()).toBeUndefined();
    await held?.release();
  });
});
