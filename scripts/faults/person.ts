import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import {
  cancelBulkOperation,
  reviseBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  editBulkOperation,
  getBulkItems,
  getBulkStatus,
  resolveItem,
  startBulkOperation,
  withdrawBulkOperation,
} from '../../src/client';
import { call } from '../../src/client/calls';
import { BatchgateError } from '../../src/contract/errors';
import { SIGNALS, TASK_QUEUE, WORKFLOW_TYPES } from '../../src/contract/messages';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { seeded } from '../../test/helpers/seeded';
import { accountOf } from './account';
import { patiently, Stuck, STUCK_MS, type Calm } from './patience';
import type { OperationRecord, Sent } from './record';
import { DONE, KEY_HEADER, REQUESTER, type Kind, type RecordingTarget } from './target';
import type { Hours } from './hours';

const LOOK_AGAIN_MS = 100;
const UNDERWAY: readonly string[] = ['preparing', 'running_batch', 'scheduled'];
/** The latest time for which a batch is scheduled, from now. */
const LATER_MS = 2_000;

export interface World {
  client: Client;
  target: RecordingTarget;
  /** The address of the target for the workers. */
  targetPort: number;
  calm: Calm;
  /** The times at which batches may begin. */
  hours: Hours;
  /** The running operations. */
  live: Map<string, OperationRecord>;
  /** Called after every answered batch. */
  answered: () => void;
  /** Breaks the record: this many confirmations are sent and not recorded, to show that the check notices. */
  unrecorded: number;
}

/** A simulated person with one operation, whose decisions are recorded. */
interface Person extends World {
  record: OperationRecord;
  kind: Kind;
  random: () => number;
  decided: number;
  /** True if a signal may or may not have arrived: its batch may begin at any time. */
  unsure?: boolean;
}

/** Starts an operation of a random shape, confirms it batch by batch, and records its end. */
export async function runOperation(world: World, number: number, seed: number): Promise<OperationRecord> {
  const random = seeded(seed * 1_000 + number);
  const kind = (['keyed', 'blind', 'readable'] as const)[Math.floor(random() * 3)] as Kind;
  const needed = random() < 0.3 ? 2 : 1;
  const id = `${kind}-${number}`;
  const planned = Array.from({ length: 6 + Math.floor(random() * 30) }, (_, at) => `${id}~${at}`);
  const batch_size = 5 + Math.floor(random() * 6);
  const sizes = random() < 0.3 ? { batch_sizes: [1, 3, batch_size] } : { batch_size };
  const record: OperationRecord = { id, planned, needed, sent: [], changed: new Map(), doubted: new Set() };
  const person: Person = { ...world, record, kind, random, decided: 0 };
  try {
    const rejected = await begin(person, sizes);
    world.live.set(id, record);
    if (!rejected) await decideUntilClosed(person);
    record.account = await patiently('its report', world.calm, () => accountOf(world.client, id));
    for (const { id: item, outcome } of record.account.rows)
      if (outcome === 'in_doubt') record.doubted.add(item);
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    record.stuck = error.message;
  } finally {
    world.live.delete(id);
  }
  return record;
}

/** Returns whether the operation was rejected. */
async function begin(
  { client, calm, kind, targetPort, record, random }: Person,
  sizes: Pick<BulkOperationInput, 'batch_size' | 'batch_sizes'>,
): Promise<boolean> {
  const url = `http://127.0.0.1:${targetPort}/${kind}/{{id}}`;
  const own = {
    blind: { method: 'POST' },
    keyed: { method: 'POST', idempotency_header: KEY_HEADER },
    readable: { method: 'PUT', body: { state: DONE }, read: { url, select: 'body.state' } },
  }[kind];
  const items = record.planned.map((item) => ({ id: item, display_name: item }));
  const input = {
    domain: 'http',
    action: 'request',
    params: { url, ...own },
    items,
    ...sizes,
    ...(record.needed > 1 && { requested_by: REQUESTER }),
  };
  const start = () => startBulkOperation(client, input, { operation_id: record.id });
  try {
    const plain = () => startPlainly(client, record.id, input);
    await patiently<unknown>('its start', calm, random() < 0.25 ? plain : start);
    return false;
  } catch (error) {
    // The status of the operation contains the reason, which is judged there.
    if (error instanceof BatchgateError) return true;
    throw error;
  }
}

/** Starts an operation like a client that uses Temporal without batchgate, so with the server's timeouts. */
function startPlainly(client: Client, workflowId: string, input: object): Promise<unknown> {
  const start = { workflowId, taskQueue: TASK_QUEUE, args: [input] };
  return call(client, () =>
    client.workflow.start(WORKFLOW_TYPES.bulkOperation, start).catch((error: unknown) => {
      // The first try succeeded, and its answer was lost.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }),
  );
}

async function decideUntilClosed(person: Person): Promise<void> {
  const { client, calm, record, random } = person;
  const isClosed = ({ needs_confirmation, state }: BulkStatus) =>
    !needs_confirmation && !UNDERWAY.includes(state);
  const moved = motionOf(calm);
  for (;;) {
    const status = await untilAsked(person);
    await nameDoubts(person, status);
    if (isClosed(status)) return;
    moved(status);
    if (status.state === 'awaiting_resolution') {
      await settleDoubts(person);
      continue;
    }
    const roll = random();
    if (roll < 0.02) {
      // If the answer of the first try was lost, the next one finds the operation closed.
      const cancel = () => cancelBulkOperation(client, record.id);
      await patiently('its cancellation', calm, cancel).catch(passIfRefused);
    } else if (roll < 0.04) {
      const { number: batch, attempt, digest } = status.next_batch ?? {};
      const back = { note: 'Archive them instead.', batch, attempt, digest, decision_id: randomUUID() };
      const revise = () => reviseBulkOperation(client, record.id, back);
      await patiently('its guidance', calm, revise).catch(passIfRefused);
    } else if (roll < 0.12) await confirmBySignal(person, status);
    else if (roll < 0.2) await editAddress(person, status);
    else {
      if (roll < 0.32) await confirmOldGate(person);
      else if (roll < 0.4) changeItem(person, status);
      await confirmByUpdate(person, status, roll > 0.88);
      if (roll > 0.8) await confirmAgain(person);
    }
  }
}

/** Called for each read of an operation. @throws Stuck if it answers, but no message makes it progress. */
function motionOf(calm: Calm): (status: BulkStatus) => void {
  let last = '';
  let at = Date.now();
  return ({ state, next_batch: gate, in_doubt, processed, approvals }) => {
    const now = [state, gate?.number, gate?.attempt, in_doubt, processed, approvals?.given.length].join();
    const calmSince = calm.since();
    if (now !== last) at = Date.now();
    last = now;
    if (calmSince !== undefined && Date.now() > Math.max(calmSince, at) + STUCK_MS) {
      throw new Stuck(`its question: nothing that is sent moves it from ${now}`);
    }
  };
}

/** Waits until a question is open, or the operation has ended. */
function untilAsked({ client, calm, record }: Person): Promise<BulkStatus> {
  return patiently('its question', calm, async () => {
    for (;;) {
      const status = await getBulkStatus(client, record.id);
      if (!UNDERWAY.includes(status.state)) return status;
      await pause(LOOK_AGAIN_MS);
    }
  });
}

async function nameDoubts({ client, calm, record }: Person, status: BulkStatus): Promise<void> {
  if (status.in_doubt === 0) return;
  const request = { outcome: 'in_doubt', limit: 1_000 } as const;
  const { items } = await patiently('its doubts', calm, () => getBulkItems(client, record.id, request));
  for (const { id } of items) record.doubted.add(id);
}

/**
 * Settles doubts. If the service accepts keys, a person looks up each item after its request is over; otherwise the
 * person ends the operation, because nothing can be looked up.
 */
async function settleDoubts({ client, calm, record, target, kind }: Person): Promise<void> {
  if (kind === 'blind') {
    const completion = { force: true, reason: 'the service cannot be asked', by: 'the runner' };
    const end = () => completeBulkOperation(client, record.id, completion);
    await patiently('its completion', calm, end).catch(passIfRefused);
    return;
  }
  const request = { outcome: 'in_doubt', limit: 1_000 } as const;
  const { items } = await patiently('its doubts', calm, () => getBulkItems(client, record.id, request));
  for (const { id, error } of items) {
    const [, until] = /may still be carried out until (\S+):/.exec(error ?? '') ?? [];
    if (until !== undefined) await pause(Math.max(0, Date.parse(until) - Date.now()));
    const outcome = target.isApplied(id) ? 'succeeded' : 'failed';
    const resolution = { item_id: id, outcome, by: 'the runner', reason: 'looked up by its key' } as const;
    await patiently('its resolution', calm, () => resolveItem(client, record.id, resolution)).catch(
      passIfRefused,
    );
  }
}

function writeDown(person: Person, status: BulkStatus, named: boolean, excluded: string[] = []): Sent {
  const { record } = person;
  const gate = status.next_batch;
  const sent: Sent = {
    by: `${record.id}#${(person.decided += 1)}`,
    sent_at: Date.now(),
    shown: gate?.items.map(({ id }) => id) ?? [],
    excluded,
    earliest: person.hours.from(Date.now()),
    acknowledged: false,
    ...(gate && editIn(gate)),
    ...(named && gate && { gate: { batch: gate.number, attempt: gate.attempt, digest: gate.digest } }),
  };
  // A bare signal may be refused without any harm.
  if (named && person.unrecorded > 0) person.unrecorded -= 1;
  else record.sent.push(sent);
  return sent;
}

/** The edit in the address that a question shows. */
function editIn({ change }: NonNullable<BulkStatus['next_batch']>): Pick<Sent, 'edit'> {
  const [, edit] = /\/(edit-[0-9]+)/.exec(change.fields.find(({ name }) => name === 'url')?.to ?? '') ?? [];
  return edit === undefined ? {} : { edit };
}

/** Edits the address of the remaining items. It runs nothing, and invalidates decisions about the previous question. */
async function editAddress(person: Person, { next_batch: gate }: BulkStatus): Promise<void> {
  const { client, calm, record, kind, targetPort } = person;
  const number = (person.decided += 1);
  const url = `http://127.0.0.1:${targetPort}/${kind}/{{id}}/edit-${number}`;
  const question = { batch: gate?.number, attempt: gate?.attempt, digest: gate?.digest };
  const request = { ...question, change: { url }, decision_id: `${record.id}#${number}`, by: record.id };
  const edit = () => editBulkOperation(client, record.id, request);
  await patiently('its edit', calm, edit).catch(passIfRefused);
}

async function confirmByUpdate(person: Person, status: BulkStatus, leaveOneOut: boolean): Promise<void> {
  const { client, calm, record, random } = person;
  const items = status.next_batch?.items ?? [];
  const left = leaveOneOut && items.length > 1 ? items[Math.floor(random() * items.length)] : undefined;
  const sent = writeDown(person, status, true, left ? [left.id] : []);
  const exclude = left && { exclude: [{ id: left.id, reason: 'left out by the runner' }] };
  const at = Math.round(sent.sent_at + random() * LATER_MS);
  const later = random() < 0.2 && { not_before: new Date(at).toISOString() };
  if (later) sent.earliest = person.hours.from(at);
  // Repeat the same decision until an answer arrives.
  const request = { ...sent.gate, by: sent.by, decision_id: sent.by, ...exclude, ...later };
  try {
    const turn = await patiently('its batch', calm, () => continueBulkOperation(client, record.id, request));
    sent.acknowledged = true;
    person.answered();
    if (turn.state === 'scheduled' && random() < 0.5) await takeBack(person, sent);
  } catch (error) {
    passIfRefused(error);
  }
}

/** A third party changes an item that the question shows. */
function changeItem({ record, kind, target, unsure }: Person, { next_batch: gate }: BulkStatus): void {
  const item = gate?.items[0]?.id;
  if (kind !== 'readable' || unsure || !gate || item === undefined) return;
  target.change(item);
  record.changed.set(item, { at: Date.now(), ...editIn(gate) });
}

/** Confirms again as the same person, and as the requester: neither counts where two people must approve. */
async function confirmAgain({ client, calm, record }: Person): Promise<void> {
  const { by, gate } = record.sent.at(-1) ?? {};
  if (record.needed === 1 || gate === undefined) return;
  for (const who of [by, REQUESTER]) {
    const again = { ...gate, by: who, decision_id: randomUUID() };
    const confirm = () => continueBulkOperation(client, record.id, again);
    await patiently('its refusal', calm, confirm).catch(passIfRefused);
  }
}

/** Withdraws a confirmation, which then never runs unless its batch has begun. The operation's record shows which. */
async function takeBack({ client, calm, record }: Person, { by, gate }: Sent): Promise<void> {
  const withdrawal = { ...gate, by, decision_id: `${by} back` };
  const back = () => withdrawBulkOperation(client, record.id, withdrawal);
  await patiently('its withdrawal', calm, back).catch(passIfRefused);
}

/** Sends a confirmation that names no gate. It gets no answer, so this waits for its record. */
async function confirmBySignal(person: Person, status: BulkStatus): Promise<void> {
  const { client, calm, record } = person;
  const sent = writeDown(person, status, false);
  try {
    await client.workflow.getHandle(record.id).signal(SIGNALS.continue, { by: sent.by });
  } catch {
    // The signal may or may not have arrived; the next read of the question shows it.
    person.unsure = true;
    return;
  }
  await patiently('the record of its signal', calm, async () => {
    for (;;) {
      const { confirmations } = await getBulkStatus(client, record.id);
      if (confirmations.some(({ by }) => by === sent.by)) return;
      await pause(LOOK_AGAIN_MS);
    }
  });
}

/** Confirms like a person with an old page: another decision for an earlier gate. */
async function confirmOldGate(person: Person): Promise<void> {
  const { client, calm, record } = person;
  const old = record.sent.find(({ gate, acknowledged }) => acknowledged && gate !== undefined);
  if (old?.gate === undefined) return;
  const sent: Sent = {
    ...old,
    by: `${record.id}#${(person.decided += 1)}`,
    sent_at: Date.now(),
    earliest: person.hours.from(Date.now()),
    acknowledged: false,
  };
  record.sent.push(sent);
  const request = { ...old.gate, by: sent.by, decision_id: sent.by };
  try {
    await patiently('its refusal', calm, () => continueBulkOperation(client, record.id, request));
    sent.acknowledged = true;
  } catch (error) {
    passIfRefused(error);
  }
}

/** A refusal is an answer; if the question is still open, it is asked again. */
function passIfRefused(error: unknown): void {
  if (!(error instanceof BatchgateError)) throw error;
}
