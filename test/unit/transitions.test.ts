import { bulkStateSchema, CLOSED_STATES, type BulkState } from '../../src/contract/operation';
import {
  assertTransition,
  isClosed,
  needsConfirmation,
  transitionReason,
} from '../../src/core/bulk/transitions';

const STATES = bulkStateSchema.options;

/** Every transition that an operation may make, from the documented life cycle. */
const LEGAL = [
  'preparing -> awaiting_confirmation',
  'preparing -> completed',
  'preparing -> rejected',
  'preparing -> cancelled',
  'awaiting_confirmation -> running_batch',
  'awaiting_confirmation -> completed',
  'awaiting_confirmation -> cancelled',
  'preparing -> awaiting_resolution',
  'awaiting_confirmation -> expired',
  'running_batch -> awaiting_confirmation',
  'running_batch -> awaiting_resolution',
  'running_batch -> batch_failed',
  'running_batch -> completed',
  'running_batch -> cancelled',
  'batch_failed -> running_batch',
  'batch_failed -> completed',
  'batch_failed -> cancelled',
  'batch_failed -> expired',
  'awaiting_resolution -> completed',
  'awaiting_resolution -> awaiting_confirmation',
  'awaiting_resolution -> cancelled',
  'awaiting_resolution -> expired',
  'awaiting_confirmation -> scheduled',
  'awaiting_confirmation -> preparing',
  'batch_failed -> preparing',
  'batch_failed -> scheduled',
  'running_batch -> scheduled',
  'scheduled -> running_batch',
  'scheduled -> awaiting_confirmation',
  'scheduled -> batch_failed',
  'scheduled -> completed',
  'scheduled -> cancelled',
];

const pairs = STATES.flatMap((from) => STATES.map((to): [BulkState, BulkState] => [from, to]));
const legal = ([from, to]: [BulkState, BulkState]) => LEGAL.includes(`${from} -> ${to}`);

it.each(pairs.filter(legal))('goes from %s to %s, and gives the reason', (from, to) => {
  expect(transitionReason(from, to)).toMatch(/\w+ \w+/);
  expect(() => assertTransition(from, to)).not.toThrow();
});

it.each(pairs.filter((pair) => !legal(pair)))('refuses to go from %s to %s', (from, to) => {
  expect(transitionReason(from, to)).toBeUndefined();
  expect(() => assertTransition(from, to)).toThrow(`illegal transition from ${from} to ${to}`);
});

it('gives each legal change a reason of its own state', () => {
  for (const from of STATES) {
    const reasons = STATES.flatMap((to) => transitionReason(from, to) ?? []);
    expect(new Set(reasons).size).toBe(reasons.length);
  }
});

it('never leaves a closed state', () => {
  const left = pairs.filter(([from, to]) => isClosed(from) && transitionReason(from, to) !== undefined);
  expect(left).toEqual([]);
  expect(STATES.filter(isClosed)).toEqual([...CLOSED_STATES]);
});

it('waits for a person at a question, after a failed batch and with items in doubt at the end', () => {
  expect(STATES.filter(needsConfirmation)).toEqual([
    'awaiting_confirmation',
    'batch_failed',
    'awaiting_resolution',
  ]);
});

it('runs a batch only after a person was asked, and schedules none before', () => {
  const before = STATES.filter((from) => transitionReason(from, 'running_batch') !== undefined);
  expect(before.filter((from) => !needsConfirmation(from))).toEqual(['scheduled']);
  const asked = STATES.filter((from) => transitionReason(from, 'scheduled') !== undefined);
  expect(asked).toEqual(['awaiting_confirmation', 'running_batch', 'batch_failed']);
});
