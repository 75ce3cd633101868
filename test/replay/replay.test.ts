import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { replayHistories } from '../../src/testing/replay';
import { codeOf, testServer } from '../helpers/harness';
import { filesOf, RECORDINGS } from './recordings';

const recorded = join(__dirname, 'histories');
const workflowBundle = { codePath: testServer().bundlePath };

it('replays every recorded history with the current workflows', async () => {
  const replayed = await replayHistories({ directory: recorded, workflowBundle });
  expect(replayed.filter(({ error }) => error)).toEqual([]);
  expect(replayed.map(({ file }) => file)).toEqual((await readdir(recorded)).sort());
});

/**
 * From a fault run, with the commands of its first part in today's order. Two workers read the same kind of message: one
 * with the end of the activity that recorded the message before it in an activation of its own (event 60 on), the other,
 * which had taken over, in the same activation (event 112 on).
 */
it('replays a history in which a worker took over between a record and the next message', async () => {
  const directory = join(__dirname, 'observed');
  expect(await replayHistories({ directory, workflowBundle })).toEqual([{ file: 'taken-over.json' }]);
});

it('has a history of every path, and one of each run of those that continue as new', async () => {
  const expected = RECORDINGS.flatMap(({ paths, runs }) =>
    Object.keys(paths).flatMap((path) => filesOf(path, runs)),
  );
  expect((await readdir(recorded)).sort()).toEqual(expected.sort());
});

it('hands over to the next run what lists show: state, domain, action and progress', async () => {
  const { events } = JSON.parse(await readFile(join(recorded, 'continued-as-new-each-batch-2.json'), 'utf8'));
  const { searchAttributes, memo } = events[0].workflowExecutionStartedEventAttributes as Record<
    string,
    Record<string, object>
  >;
  expect(Object.keys(searchAttributes?.indexedFields ?? {}).sort()).toEqual([
    'BatchgateDomain',
    'BatchgateState',
  ]);
  expect(Object.keys(memo?.fields ?? {}).sort()).toEqual([
    'action',
    'gate',
    'handed_over_by',
    'input_digest',
    'progress',
  ]);
});

it('keeps no name of a machine in a history', async () => {
  for (const file of await readdir(recorded)) {
    const text = await readFile(join(recorded, file), 'utf8');
    const decoded = text.replace(/"data":"([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(text.match(/"identity":"(?!\d*@?recorder")[^"]*"/g)).toBeNull();
    expect(decoded).not.toMatch(/\/(work|home|root|tmp|Users)\//);
  }
});

describe('a history that does not match', () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'batchgate-histories-'))));
  afterEach(() => rm(directory, { recursive: true }));

  /** Replays a recorded history with one change, beside one without changes. */
  async function altered(path: string, from: string, to: string) {
    const text = await readFile(join(recorded, path), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(directory, 'altered.json'), text.replace(from, to));
    await writeFile(join(directory, 'intact.json'), await readFile(join(recorded, 'expired.json'), 'utf8'));
    return replayHistories({ directory, workflowBundle });
  }

  it.each([
    [
      'another step in the place of the first',
      'completed-in-one-go.json',
      '"activityType":{"name":"begin"}',
      '"activityType":{"name":"restart"}',
    ],
    [
      'a batch that is not run',
      'completed-in-one-go.json',
      '"activityType":{"name":"runBatch"}',
      '"activityType":{"name":"close"}',
    ],
    [
      'a deadline that is not set',
      'completed-in-one-go.json',
      '"eventType":"EVENT_TYPE_TIMER_STARTED"',
      '"eventType":"EVENT_TYPE_MARKER_RECORDED"',
    ],
    [
      'a task run that does not answer a record',
      'task-run-without-a-contract.json',
      '"eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED"',
      '"eventType":"EVENT_TYPE_TIMER_STARTED"',
    ],
    [
      'a task run that goes on where it would continue as new',
      'task-run-continued-as-new-1.json',
      '"suggestContinueAsNew":true',
      '"suggestContinueAsNew":false',
    ],
    [
      'a profile that is read in another way',
      'profile-changed.json',
      '"activityType":{"name":"accessProfile"}',
      '"activityType":{"name":"readProfile"}',
    ],
    [
      'a profile that takes what it refused',
      'profile-refused.json',
      '"eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_FAILED"',
      '"eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED"',
    ],
  ])('is refused, and only that: %s', async (_, path, from, to) => {
    const [first, second] = await altered(path, from, to);
    expect(first?.file).toBe('altered.json');
    expect(first?.error).toBeInstanceOf(Error);
    expect(second).toEqual({ file: 'intact.json' });
  });

  it('is reported as a violation of determinism', async () => {
    const [first] = await altered('bare-confirmation.json', '"name":"begin"', '"name":"restart"');
    expect(first?.error).toBeInstanceOf(DeterminismViolationError);
    expect(first?.error?.message).toMatch(/TMPRL1100.*restart/s);
  });

  it('is refused as a whole if there is no history, or a file is not one', async () => {
    const replay = () => replayHistories({ directory, workflowBundle });
    expect(await codeOf(replay())).toBe('INVALID_INPUT');
    await writeFile(join(directory, 'other.json'), '{"events":[]}');
    expect(await codeOf(replay())).toBe('INVALID_INPUT');
    await writeFile(join(directory, 'other.json'), 'no JSON');
    expect(await codeOf(replay())).toBe('INVALID_INPUT');
  });
});
