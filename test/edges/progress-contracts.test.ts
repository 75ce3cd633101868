import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from '../helpers/properties';
import { progressContracts, type ProgressContracts } from '../../src/client';
import { recordCompleted } from '../../src/core/progress/contract';
import { codeOf } from '../helpers/harness';
import { inLongRun } from '../helpers/long-run';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';

/** Progress contracts in files: concurrent and killed processes, and files that people have edited. */
let dataDir: string;
let contracts: ProgressContracts;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-contracts-'));
  contracts = progressContracts(dataDir);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const fileOf = (name: string) => join(contracts.folder, name);
const recorded = async (id: string) => (await contracts.read(id)).completed;

/** A recorder in a separate process. `lines`: what it prints, each item once it is acknowledged. */
async function startRecorder(id: string, name: string, count: number) {
  const script = join(__dirname, '../helpers/contract-process.ts');
  const args = [...RUN_TYPESCRIPT, script, dataDir, id, name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  return { child, lines, begin: () => child.stdin.write('\n') };
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

describe('processes', () => {
  it('lose nothing when they record on one contract at once', async () => {
    const [writers, each] = [inLongRun(6, 4), 25];
    await contracts.create({ contract_id: 'crawl', expected_total: writers * each });
    const names = Array.from({ length: writers }, (_, at) => `writer-${at}`);
    const recorders = await Promise.all(names.map((name) => startRecorder('crawl', name, each)));
    const ends = recorders.map(({ child }) => once(child, 'exit'));
    recorders.forEach(({ begin }) => begin());
    expect(await Promise.all(ends)).toEqual(names.map(() => [0, null]));
    const wanted = names.flatMap((name) => Array.from({ length: each }, (_, at) => `${name}-${at}`));
    expect((await recorded('crawl')).sort()).toEqual(wanted.sort());
    expect(await readdir(contracts.folder)).toEqual(['crawl.json']);
    expect(await contracts.complete('crawl')).toMatchObject({ allowed: true });
  });

  it('lose nothing that was acknowledged when they are killed while writing', async () => {
    // Large enough that writing it takes a while.
    await contracts.create({ contract_id: 'crawl', stop_condition: 'no next page' });
    await contracts.change('crawl', (contract) =>
      recordCompleted(
        contract,
        Array.from({ length: 40_000 }, (_, at) => `https://site.test/${at}`),
        Date.now(),
      ),
    );
    let cut = (await contracts.read('crawl')).truncation?.completed ?? 0;
    const rounds = inLongRun(6, 3);
    for (let round = 0; round < rounds; round++) {
      const { child, lines, begin } = await startRecorder('crawl', `round-${round}`, 1_000_000);
      const watcher = watch(contracts.folder);
      begin();
      // A write is in progress, at a point that differs from round to round.
      for (let event = 0; event <= (round * 18) / rounds;) if (await draftTouched(watcher)) event++;
      await killed(child);
      watcher.close();
      let acknowledged = 0;
      while (!(await lines.next()).done) acknowledged++;
      const { truncation, cursor = '', fingerprints } = await contracts.read('crawl');
      const found = (truncation?.completed ?? 0) - cut;
      expect([acknowledged, acknowledged + 1]).toContain(found);
      if (found > 0) expect(cursor).toBe(`round-${round}-${found - 1}`);
      expect(Object.values(fingerprints ?? {}).join('').length).toBe((cut + found) * 10);
      cut += found;
    }
    await contracts.record('crawl', { cursor: 'the next one is not held up' });
    expect(await readdir(contracts.folder)).toEqual(['crawl.json']);
  });
});

async function draftTouched(watcher: ReturnType<typeof watch>): Promise<boolean> {
  const [, name] = (await once(watcher, 'change')) as [string, string];
  return name === 'crawl.json.draft';
}

describe('a contract', () => {
  it('is found again for the same input, with its records, and refused for another input', async () => {
    const input = { contract_id: 'c1', expected_items: ['a', 'b'], item_key: 'url' };
    await contracts.create(input);
    await contracts.record('c1', { completed: ['a'], cursor: '1', stop_condition_satisfied: true });
    expect(await contracts.create(input)).toMatchObject({ completed: ['a'], cursor: '1' });
    expect(await codeOf(contracts.create({ ...input, item_key: 'id' }))).toBe('IDEMPOTENCY_CONFLICT');
    expect(await codeOf(contracts.create({ ...input, expected_items: ['a'] }))).toBe('IDEMPOTENCY_CONFLICT');
    expect(await recorded('c1')).toEqual(['a']);
  });

  it('is created once by many concurrent callers', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, () => contracts.create({ contract_id: 'c1', expected_total: 3 })),
    );
    expect(new Set(made.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('accepts nothing more once it is completed, and records who forced it and why', async () => {
    await contracts.create({ contract_id: 'c1', expected_total: 2 });
    expect(await contracts.complete('c1')).toMatchObject({ allowed: false, missing_count: 2 });
    expect(await codeOf(contracts.complete('c1', { force: true, reason: ' ' }))).toBe('INVALID_INPUT');
    await contracts.complete('c1', { force: true, reason: 'enough', by: 'ana' });
    expect(await codeOf(contracts.record('c1', { completed: ['a'] }))).toBe('OPERATION_CLOSED');
    expect(await codeOf(contracts.complete('c1'))).toBe('OPERATION_CLOSED');
    expect((await contracts.list()).contracts).toMatchObject([
      { contract_id: 'c1', state: 'completed', completed_count: 0, forced: { reason: 'enough', by: 'ana' } },
    ]);
  });

  it('keeps its id whatever a function returns for it, and refuses invalid contracts', async () => {
    const stored = await contracts.create({ contract_id: 'c1', expected_total: 3 });
    const renamed = contracts.change('c1', (contract) => ({ ...contract, contract_id: 'c2' }));
    expect(await codeOf(renamed)).toBe('INVALID_INPUT');
    const emptied = contracts.change('c1', (contract) => ({ ...contract, completed: undefined as never }));
    await expect(emptied).rejects.toThrow('completed');
    expect(await contracts.read('c1')).toEqual(stored);
  });

  it('that does not exist creates no folder', async () => {
    expect(await codeOf(contracts.record('c1', { completed: ['a'] }))).toBe('NOT_FOUND');
    expect(await contracts.list()).toEqual({ contracts: [], malformed: [] });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('a file', () => {
  const altered = async (change: (text: string) => string) => {
    await contracts.create({ contract_id: 'good', expected_total: 1 });
    await contracts.create({ contract_id: 'c1', expected_total: 3 });
    await writeFile(fileOf('c1.json'), change(await readFile(fileOf('c1.json'), 'utf8')));
  };

  it.each([
    ['is cut off', (text: string) => text.slice(0, -20), /it is not valid JSON/],
    ['is empty', () => '', /it is not valid JSON/],
    ['has a text for a number', (text: string) => text.replace('3', '"three"'), /expected_total: /],
    ['has an unknown policy', (text: string) => text.replace('block', 'maybe'), /failed_policy: /],
    [
      'lists what is no item',
      (text: string) => text.replace('"completed": []', '"completed": ["a", 7]'),
      /completed\[1\]: /,
    ],
    ['has a member too many', (text: string) => text.replace('{', '{"done": 1,'), /"done"/],
    ['is that of another id', (text: string) => text.replace('"c1"', '"c2"'), /contract_id: "c2"/],
  ])(
    'that %s is refused by its name and the place of the mistake, and is not changed',
    async (_, change, what) => {
      await altered(change);
      const before = await readFile(fileOf('c1.json'), 'utf8');
      for (const work of [
        contracts.read('c1'),
        contracts.record('c1', { completed: ['a'] }),
        contracts.complete('c1', { force: true, reason: 'any' }),
        contracts.create({ contract_id: 'c1', expected_total: 3 }),
      ]) {
        await expect(work).rejects.toMatchObject({
          code: 'INVALID_INPUT',
          message: expect.stringMatching(what) as string,
          hint: expect.stringContaining('Fix') as string,
        });
        await expect(work).rejects.toThrow(fileOf('c1.json'));
      }
      expect(await readFile(fileOf('c1.json'), 'utf8')).toBe(before);
      const { contracts: listed, malformed } = await contracts.list();
      expect(listed.map(({ contract_id }) => contract_id)).toEqual(['good']);
      expect(malformed.map(({ message }) => message)).toEqual([expect.stringMatching(what)]);
    },
  );

  it('of a plain id has its name', async () => {
    await contracts.create({ contract_id: 'crawl-2026.11', expected_total: 1 });
    expect(await readdir(contracts.folder)).toEqual(['crawl-2026.11.json']);
  });

  it.each(['../../escaped', '/etc/passwd', '..', '.hidden', 'a/b', 'a\\b', '👾'.repeat(75), 'x'.repeat(150)])(
    'of the id %j is in its folder, under a name that any file system accepts',
    async (contract_id) => {
      await mkdir(contracts.folder);
      await contracts.create({ contract_id, expected_total: 3 });
      const [name = ''] = await readdir(contracts.folder);
      expect(name).toMatch(/^[a-z0-9_%~-][a-z0-9._%~-]{0,120}\.json$/);
      expect(await contracts.read(contract_id)).toMatchObject({ contract_id });
      expect(await readdir(dataDir)).toEqual(['progress-contracts']);
    },
  );

  it('differs for each id, however similar they look', async () => {
    const odd = fc.string({
      unit: fc.constantFrom('a', 'A', '.', '/', '%', '2', 'e', '~', ' ', 'é', 'e\u0301'),
      minLength: 1,
      maxLength: 40,
    });
    const long = fc.tuple(odd, odd).map(([one, other]) => `${'x'.repeat(100)}${one}`.slice(0, 130) + other);
    const ids = fc
      .uniqueArray(fc.oneof(odd, long), { minLength: 2, maxLength: 12 })
      .map((each) => each.filter((id) => id.length <= 150));
    await fc.assert(
      fc.asyncProperty(ids, async (of) => {
        await rm(contracts.folder, { recursive: true, force: true });
        for (const contract_id of of) await contracts.create({ contract_id, expected_total: 3 });
        const names = of.length === 0 ? [] : await readdir(contracts.folder);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(of.length);
        for (const id of of) expect((await contracts.read(id)).contract_id).toBe(id);
      }),
      { seed: 20261122, numRuns: 60 },
    );
  });

  it.each(['', 'x'.repeat(151), 'two\nlines', '\ud800'])(
    'is not created for the id %j',
    async (contract_id) => {
      expect(await codeOf(contracts.create({ contract_id, expected_total: 3 }))).toBe('INVALID_INPUT');
      expect(await codeOf(contracts.read(contract_id))).toBe('INVALID_INPUT');
    },
  );
});
