import type { BulkStatus, Confirmation } from '../../../src/contract/operation';
import type { Answer } from './answers';
import type { Sent } from './sender';

const OPEN_MS = 2_000;
/** The permitted codes of a refused decision: any other code is a fault of a door. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['STALE_CONFIRMATION', 'NOT_AWAITING_CONFIRMATION', 'QUESTION_NOT_SEEN', 'OPERATION_CLOSED'],
  // A message that needs a further question, and the words of an agent's door.
  ...['undecided', 'nothing ran', 'waiting', 'unclear', 'ended', 'question_changed'],
]);

export interface Truth {
  status: BulkStatus;
  /** The number of changes of each item. */
  touched: ReadonlyMap<string, number>;
  /** The outcomes of the items of a batch. */
  outcomeOf: (batch: number) => { succeeded: number; failed: number };
}

/** Violations, one line each: at most one batch runs for each question shown, and answers are true. */
export function checkClients({ status, touched, outcomeOf }: Truth, sent: readonly Sent[]): string[] {
  const accepted = status.confirmations.filter(
    ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
  );
  const gates = accepted.map(({ batch, attempt }) => `${batch}.${attempt}`);
  const findings = [...touched].flatMap(([item, times]) =>
    times > 1 ? [`${item} was changed ${times} times`] : [],
  );
  if (new Set(gates).size !== gates.length) findings.push(`a question was confirmed twice: ${gates.join()}`);
  if (status.confirmations_truncated) findings.push('the record of confirmations is cut');
  const senders = new Set(sent.map(({ by }) => by));
  const agents = new Set(sent.filter(({ door }) => door.oneCaller).map(({ shown }) => shown.batch));
  for (const { by = '', batch } of accepted) {
    if (!senders.has(by) && !agents.has(batch))
      findings.push(`batch ${batch} ran on the word of ${by}, who sent none`);
  }
  return [
    ...findings,
    ...sent.flatMap((one) => [...checkDecision(one, accepted), ...checkAnswers(one, accepted, outcomeOf)]),
  ];
}

/** The decisions of a run with all answers to their senders, and the operation's record: where a finding came from. */
export const traceOf = ({ confirmations }: BulkStatus, sent: readonly Sent[]): string =>
  [
    ...sent.map((one) => `  ${named(one)}, sent ${one.copies} times: ${JSON.stringify(one.answers)}`),
    ...confirmations.map((one) => `  recorded: ${JSON.stringify(one)}`),
  ].join('\n');

const named = ({ by, door, shown }: Sent) => `${by} (${door.name}), about batch ${shown.batch}`;
const ownOf = ({ by, door, shown }: Sent, accepted: readonly Confirmation[]) =>
  accepted.filter((one) => (door.oneCaller ? one.batch === shown.batch : one.by === by));
const ranIn = (answers: readonly Answer[]) => answers.flatMap((one) => ('ran' in one ? [one] : []));

/** Checks that a decision runs at most one batch, and the one whose question its sender was shown. */
function checkDecision(sent: Sent, accepted: readonly Confirmation[]): string[] {
  const { shown, door } = sent;
  if (door.oneCaller) return [];
  const own = ownOf(sent, accepted);
  const findings: string[] = [];
  const times = own.map(({ at }) => Date.parse(at));
  // Two seconds after a question has opened, an unnamed yes may apply to it.
  const areNew = times.slice(1).every((time, at) => time - (times[at] ?? time) >= OPEN_MS);
  if (own.length > 1 && !(door.forgets && areNew)) findings.push(`${named(sent)}: ran ${own.length} batches`);
  const isShown = ({ batch, attempt, digest }: Confirmation) =>
    batch === shown.batch && attempt === shown.attempt && (digest ?? shown.digest) === shown.digest;
  const isBare = door.forgets ?? door.unnamed;
  if (!isBare && !own.every(isShown))
    findings.push(`${named(sent)}: ran batch ${own[0]?.batch}, which it was not shown`);
  if (isBare)
    for (const one of own) {
      const before = accepted.findLast(({ at }) => Date.parse(at) < Date.parse(one.at));
      // The question opened only after the previous batch was confirmed.
      if (before && Date.parse(one.at) - Date.parse(before.at) < OPEN_MS)
        findings.push(`${named(sent)}: ran batch ${one.batch} within two seconds`);
    }
  return findings;
}

/** Checks that the sender received the result of the decision, and no other. */
function checkAnswers(
  sent: Sent,
  accepted: readonly Confirmation[],
  outcomeOf: Truth['outcomeOf'],
): string[] {
  const { door, answers } = sent;
  const own = ownOf(sent, accepted);
  const results = ranIn(answers);
  const refusals = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []));
  const findings: string[] = [];
  for (const { ran, succeeded, failed } of results) {
    if (!own.some(({ batch }) => batch === ran))
      findings.push(`${named(sent)}: was told that batch ${ran} ran, and it did not decide that`);
    const truth = outcomeOf(ran);
    // A decision that a busy server gave up was repeated, so each answer covers only a part of the batch.
    const isWhole = accepted.filter(({ batch }) => batch === ran).length === 1;
    if (isWhole && succeeded !== undefined && (succeeded !== truth.succeeded || failed !== truth.failed))
      findings.push(`${named(sent)}: was told ${succeeded} succeeded and ${failed} failed of batch ${ran}`);
  }
  // A decision without a question is answered with the question that is open then.
  if (
    own.length > 0 &&
    results.length === 0 &&
    refusals.length > 0 &&
    (!door.waits || door.unnamed) &&
    !door.oneCaller
  )
    findings.push(`${named(sent)}: ran, and its sender was told only ${refusals.join()}`);
  if (answers.length === 0 && !door.forgets)
    findings.push(`${named(sent)}: its sender never learnt anything`);
  for (const code of new Set(refusals))
    if (!REFUSALS.has(code)) findings.push(`${named(sent)}: was refused with ${code}`);
  return findings;
}
