import type { BulkStatus, Confirmation } from '../../../src/contract/operation';
import type { Sent } from './sender';

const OPEN_MS = 2_000;

/** Violations, one line each: at most one batch for each question shown, and true answers. */
export function checkClients(
  status: BulkStatus,
  sent: readonly Sent[],
  touched: ReadonlyMap<string, number>,
): string[] {
  const accepted = status.confirmations.filter(
    ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
  );
  const gates = accepted.map(({ batch, attempt }) => `${batch}.${attempt}`);
  const findings = [...touched].flatMap(([item, times]) =>
    times > 1 ? [`${item} was changed ${times} times`] : [],
  );
  if (new Set(gates).size !== gates.length) findings.push(`a question was confirmed twice: ${gates.join()}`);
  if (status.confirmations_truncated) findings.push('the record of confirmations is cut');
  const known = new Set(sent.map(({ by }) => by));
  const agents = new Set(sent.filter(({ door }) => door.oneCaller).map(({ shown }) => shown.batch));
  for (const { by = '', batch } of accepted) {
    if (!known.has(by) && !agents.has(batch))
      findings.push(`batch ${batch} ran on the word of ${by}, who sent none`);
  }
  return [...findings, ...sent.flatMap((one) => checkDecision(one, accepted))];
}

function checkDecision(sent: Sent, accepted: readonly Confirmation[]): string[] {
  const { by, shown, door, answers } = sent;
  const what = `${by} (${door.name}), about batch ${shown.batch}`;
  if (door.oneCaller) {
    const ran = accepted.some(({ batch }) => batch === shown.batch);
    return answers.some((answer) => 'ran' in answer) && !ran ? [`${what}: was told that it ran`] : [];
  }
  const own = accepted.filter((one) => one.by === by);
  const findings: string[] = [];
  const [first, second] = own.map(({ at }) => Date.parse(at));
  // Two seconds after a question has opened, a yes without a name may be for it.
  const isNew = door.forgets && first !== undefined && second !== undefined && second - first >= OPEN_MS;
  if (own.length > 1 && !isNew) findings.push(`${what}: ran ${own.length} batches`);
  if (!door.forgets && own.some(({ batch, attempt }) => batch !== shown.batch || attempt !== shown.attempt))
    findings.push(`${what}: ran batch ${own[0]?.batch}, which it was not shown`);
  const told = answers.flatMap((answer) => ('ran' in answer ? [answer.ran] : []));
  if (told.length > 0 && own.length === 0)
    findings.push(`${what}: was told that batch ${told[0]} ran, and it did not decide`);
  const refusals = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []));
  // What names no question is answered with the question that is open then.
  if (own.length > 0 && told.length === 0 && refusals.length > 0 && !door.waits)
    findings.push(`${what}: ran, and its sender was told only ${refusals.join()}`);
  return findings;
}
