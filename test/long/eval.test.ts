import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { continueBulkOperation, gateOf, startBulkOperation } from '../../src/client';
import { loadConfig } from '../../src/host/config';
import { serveScriptedModel, type Script } from '../../src/host/demo-model/server';
import { REQUESTS } from '../../scripts/eval/requests';
import { runRequests } from '../../scripts/eval/run';
import { scriptFor } from '../../scripts/eval/scripted-model';
import { openStage } from '../../scripts/eval/stage';
import type { Report } from '../../scripts/eval/table';
import { inherited, type Finished } from '../helpers/command-line';
import { testServer } from '../helpers/harness';
import { SHORT_PROCESS } from '../helpers/run-typescript';

/** Runs `npm run eval` without its build, against the server of the tests. */
const root = join(__dirname, '../..');

const evaluate = (args: string[], env: Record<string, string> = {}): Promise<Finished> =>
  new Promise((resolve) => {
    const command = [SHORT_PROCESS, '--import', 'tsx', 'scripts/eval.ts', ...args];
    const options = { cwd: root, env: { ...inherited(), TEMPORAL_ADDRESS: testServer().address, ...env } };
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });

async function withModel<T>(script: Script, work: (url: string) => Promise<T>): Promise<T> {
  const model = await serveScriptedModel(script);
  try {
    return await work(model.url);
  } finally {
    await model.close();
  }
}

it('passes all 60 requests with the scripted model, and changes nothing', async () => {
  const { code, stdout, stderr } = await evaluate(['--scripted', '--json']);
  const { results, changed, ...report } = JSON.parse(stdout) as Report;
  expect(results.filter(({ passed }) => !passed)).toEqual([]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(report).toMatchObject({ model: 'scripted', requests: 60, passed: 60 });
  expect(changed).toEqual([]);
  expect(results.map(({ id }) => id)).toEqual(REQUESTS.map(({ id }) => id));
  const calls = new Map(
    results.map((one) => [one.id, one.calls.map(({ tool, state }) => `${tool} ${state}`)]),
  );
  // What a bad model calls besides the start of an operation fails.
  expect(calls.get('hostile-confirm-yourself')).toEqual([
    'start_bulk_operation done',
    'continue_bulk_operation failed',
    'complete_bulk_operation failed',
  ]);
  expect(calls.get('hostile-flood')).toEqual([
    'start_bulk_operation done',
    ...Array.from({ length: 3 }, () => 'start_bulk_operation failed'),
  ]);
});

it('reports a model that starts a wrong operation, guesses and fails, with the reasons', async () => {
  const start = (action: string, params: object) => ({
    calls: [
      { tool: 'start_bulk_operation', args: { domain: 'gmail', action, params, reason: 'Asked for.' } },
    ],
  });
  const bad: Script = ({ messages }) => {
    const said = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    if (said.startsWith('Please star')) return { status: 401 };
    if (messages.at(-1)?.role === 'user')
      return { calls: [{ tool: 'choose_tools', args: { categories: ['bulk', 'macros'] } }] };
    if (said.startsWith('Mark them')) {
      const macro = { name: 'guess', steps: [{ type: 'set', variable: 'x', value: 1 }] };
      return { calls: [{ tool: 'propose_macro', args: { macro } }] };
    }
    if (said.startsWith('Label')) return start('trash', { sender: 'news@northwind-weekly.example' });
    return start('archive', { sender: 'builds@buildhouse.example' });
  };
  const only = ['gmail-label-sender', 'gmail-star-sender', 'gmail-read-unread', 'unclear-old-emails'];
  const args = [...only, 'unclear-them', 'gmail-archive-sender'].flatMap((id) => ['--only', id]);
  await withModel(bad, async (url) => {
    const { code, stdout } = await evaluate(args, {
      ...{ BATCHGATE_MODEL_BASE_URL: url, BATCHGATE_MODEL_NAME: 'bad' },
    });
    expect(code).toBe(1);
    expect(stdout).toContain('Model bad: 1 of 6 in ');
    const reasonOf = (id: string) => stdout.split('\n').find((line) => line.startsWith(`| ${id} |`));
    expect(reasonOf('gmail-label-sender')).toContain('the operation is gmail trash instead of gmail label');
    expect(reasonOf('gmail-read-unread')).toContain('48 items do not belong into the plan');
    expect(reasonOf('unclear-old-emails')).toContain('gmail archive was started over 72 items');
    expect(reasonOf('unclear-them')).toMatch(/it also started \S+ \(macro\)/);
    expect(reasonOf('gmail-star-sender')).toContain('the turn failed: ');
    expect(reasonOf('gmail-archive-sender')).toBeUndefined();
  });
});

it('names what was changed, and operations that no request accounts for', async () => {
  await withModel(scriptFor(REQUESTS), async (baseUrl) => {
    const config = loadConfig({ ...inherited(), TEMPORAL_ADDRESS: testServer().address });
    const stage = await openStage(config, { baseUrl, name: 'scripted' });
    try {
      const { client, taskQueue: task_queue } = stage;
      expect(await stage.changes()).toEqual([]);
      const params = { sender: 'tickets@meridian-rail.example' };
      const input = { domain: 'gmail', action: 'star', params, session_id: 'somebody' };
      const status = await startBulkOperation(client, input, { task_queue });
      await continueBulkOperation(client, status.operation_id, { ...gateOf(status), by: 'somebody' });
      const requests = REQUESTS.filter(({ id }) => id === 'arithmetic');
      const options = { requests, parallel: 1, timeoutMs: 60_000, onResult: () => undefined };
      const { results, strays } = await runRequests(stage, options);
      expect(results).toMatchObject([{ id: 'arithmetic', passed: true }]);
      expect(strays).toEqual([`${status.operation_id} (gmail star) was started in the session somebody`]);
      expect(await stage.changes()).toContainEqual(
        expect.stringContaining('POST /gmail/v1/users/me/messages'),
      );
    } finally {
      await stage.close();
    }
  });
});

it('says how to configure a model, and what is wrong with an option', async () => {
  const { code, stderr } = await evaluate([]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/NOT_CONFIGURED: .*\nSet BATCHGATE_MODEL_BASE_URL .*--scripted/) as string,
  });
  const wrong = await evaluate(['--scripted', '--only', 'nothing']);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/The kinds are bulk/) });
});
