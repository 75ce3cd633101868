import { createPlainLog } from '../../src/worker/plain-log';

it('writes sentences without JSON, stacks or line breaks', () => {
  const lines: string[] = [];
  const log = createPlainLog('warn', (line) => lines.push(line));
  log.info({}, 'not at this level');
  log.warn({ reason: 'it may not create schedules' }, 'hygiene is not scheduled');
  log.error({ error: new Error('out of memory\nin two lines'), wait_ms: 500 }, 'the workflow thread died');
  log.error({ workflow_id: 'bulk-1', reason: 'no codec', failures: 3 }, 'a run is quarantined');
  expect(lines).toEqual([
    'Warning: hygiene is not scheduled: it may not create schedules',
    'Error: the workflow thread died: out of memory in two lines',
    'Error: bulk-1: a run is quarantined: no codec',
  ]);
});
