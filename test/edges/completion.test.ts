import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@temporalio/client';
import { listBulkOperations } from '../../src/client';
import { connectClient } from '../../src/host/temporal/connection';
import { ensureNamespace } from '../../src/host/temporal/dev-server';
import { ensureSearchAttributes } from '../../src/host/temporal/search-attributes';
import { installed } from '../helpers/debian-package';
import { caughtUp } from '../helpers/look-again';
import { inLongRun } from '../helpers/long-run';

const run = promisify(execFile);
const entry = join(__dirname, '../../bin/batchgate.cjs');
const typist = join(__dirname, '../helpers/type-keys.py');
const temporal = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
const namespace = `completion-${process.pid}`;
const PROMPT = 'READY> ';

/** How each shell starts, with the completion installed the way the first lines of its script tell. */
const SHELLS = {
  bash: { file: 'bashrc', set: `PS1='${PROMPT}'`, start: (rc: string) => ['bash', '--rcfile', rc, '-i'] },
  zsh: {
    file: '.zshrc',
    set: `PROMPT='${PROMPT}'; autoload -Uz compinit; compinit -u -D`,
    start: () => ['zsh', '-i'],
  },
  fish: {
    file: 'config.fish',
    set: `function fish_prompt; printf '${PROMPT}'; end`,
    start: (rc: string) => ['fish', '--no-config', '--private', '--init-command', `source ${rc}`, '-i'],
  },
} as const;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'batchgate-completion-'));
  await mkdir(join(home, 'bin'));
  // Records the words of a complete command instead of running it.
  const program = join(home, 'bin', 'batchgate');
  await writeFile(
    program,
    `#!/bin/sh
case "$1" in complet*) exec '${process.execPath}' '${entry}' "$@" ;; esac
printf '%s\\n' "$@" >> '${home}/typed'
`,
  );
  await chmod(program, 0o755);
  await writeFile(join(home, 'items of mine.csv'), 'id\n1\n');
  const connection = await connectClient({ address: temporal });
  await ensureNamespace(connection, namespace);
  await ensureSearchAttributes(connection, namespace);
  const client = new Client({ connection, namespace });
  await client.workflow.start('bulkOperation', { taskQueue: 'nobody', workflowId: 'bulk-under-way' });
  const done = await client.workflow.start('bulkOperation', { taskQueue: 'nobody', workflowId: 'bulk-over' });
  await done.terminate();
  for (let live = 0, all = 0; live !== 1 || all !== 2;) {
    live = (await listBulkOperations(client, { live: true })).length;
    all = (await listBulkOperations(client)).length;
  }
  await connection.close();
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The words of the command that the shell ran after these keys. */
async function typed(shell: keyof typeof SHELLS, keys: string, env: Record<string, string> = {}) {
  const { file, set, start } = SHELLS[shell];
  const rc = join(home, file);
  const source =
    shell === 'fish' ? 'batchgate completion fish | source' : `source <(batchgate completion ${shell})`;
  await writeFile(rc, `${set}\n${source}\n`);
  await rm(join(home, 'typed'), { force: true });
  const { stdout } = await run('python3', [typist, PROMPT, `${keys}\nexit\n`, ...start(rc)], {
    cwd: home,
    env: {
      ...{ HOME: home, ZDOTDIR: home, TERM: 'xterm', LANG: 'C.UTF-8' },
      PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
      ...{
        TEMPORAL_ADDRESS: temporal,
        TEMPORAL_NAMESPACE: namespace,
        BATCHGATE_DATA_DIR: join(home, 'data'),
      },
      ...env,
    },
  });
  const words = await readFile(join(home, 'typed'), 'utf8').catch(() => `nothing ran:\n${stdout}`);
  return words.trim().split('\n');
}

const shells = inLongRun(['bash', 'zsh', 'fish'] as const, ['bash'] as const);

describe.each(shells)('the Tab key in %s', (shell) => {
  beforeAll(() => installed(`/usr/bin/${shell}`, shell), 300_000);

  it('completes verbs, options and the values of options', async () => {
    expect(await typed(shell, 'batchgate repo\tX --form\tjs\t')).toEqual([
      'report',
      'X',
      '--format',
      'jsonl',
    ]);
    expect(await typed(shell, 'batchgate list --state=awaiting_c\t')).toEqual([
      'list',
      '--state=awaiting_confirmation',
    ]);
  });

  it('completes the ids of operations, for decisions only of those that have not ended', async () => {
    // The Tab key waits two seconds for the server; a person presses it again.
    await caughtUp(async () => {
      const words = await typed(shell, 'batchgate continue bu\t--note x');
      expect(words).toEqual(['continue', 'bulk-under-way', '--note', 'x']);
    });
    await caughtUp(async () => {
      expect(await typed(shell, 'batchgate status bulk-o\t')).toEqual(['status', 'bulk-over']);
    });
    expect(await typed(shell, 'batchgate task get bulk-o\t')).toEqual(['task', 'get', 'bulk-o']);
  });

  it('completes names of files where a file is expected', async () => {
    expect(await typed(shell, 'batchgate start --items ite\t')).toEqual([
      'start',
      '--items',
      'items of mine.csv',
    ]);
  });

  it('stays quiet without a server, and runs nothing that is on the line', async () => {
    const words = await typed(shell, "batchgate status '$(touch ran)' bul\tX", {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });

    expect(words).toEqual(['status', '$(touch ran)', 'bulX']);
    await expect(readFile(join(home, 'ran'))).rejects.toThrow('ENOENT');
  });
});
