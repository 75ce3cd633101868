import { checkClients } from '../../scripts/faults/clients/check';
import { runClients } from '../../scripts/faults/clients/run';
import type { Sent } from '../../scripts/faults/clients/sender';
import type { BulkStatus } from '../../src/contract/operation';
import { inLongRun } from '../helpers/long-run';

jest.setTimeout(600_000);

it('runs one batch for each question shown, whatever clients lose, repeat, delay and cross, and tells the truth', async () => {
  const runs = inLongRun(60, 5);
  const { findings, requests, decisions, ...result } = await runClients({ runs, seed: 7, concurrency: 8 });
  expect(findings).toEqual([]);
  expect(result.runs).toBe(runs);
  expect(requests).toBeGreaterThan(decisions);
});

describe('the check', () => {
  const sent: Sent = {
    ...{ by: 'one#1', id: 'x', copies: 2, door: { name: 'client' }, answers: [{ ran: 1 }] },
    shown: { batch: 1, attempt: 1, digest: 'd1' },
  };
  const accepted = (batch: number, by = 'one#1') => ({
    ...{
      batch,
      attempt: 1,
      decision: 'continue',
      outcome: 'accepted',
      by,
      via: 'update',
      assurance: 'asserted',
    },
    at: '2026-11-26T12:00:00.000Z',
  });
  const check = (confirmations: object[], ...decisions: Sent[]) =>
    checkClients(
      {
        status: { confirmations } as BulkStatus,
        touched: new Map([['item-001', 1]]),
        outcomeOf: () => ({ succeeded: 4, failed: 1 }),
      },
      decisions,
    );

  it('finds nothing in a decision that ran its batch', () => {
    expect(check([accepted(1)], sent)).toEqual([]);
  });

  it.each([
    ['a decision that ran two batches', [accepted(1), accepted(2)], sent, /ran 2 batches/],
    ['a question that was confirmed twice', [accepted(1), accepted(1)], sent, /confirmed twice/],
    ['a batch that its sender was not shown', [accepted(2)], sent, /which it was not shown/],
    ['a batch that nobody confirmed', [accepted(1), accepted(2, 'who')], sent, /who sent none/],
    ['an answer about a batch that did not run', [], sent, /was told that batch 1 ran/],
    ['a refusal of what ran', [accepted(1)], { ...sent, answers: [{ refused: 'X' }] }, /told only X/],
    [
      'an answer about another batch',
      [accepted(1)],
      { ...sent, answers: [{ ran: 2 }] },
      /told that batch 2 ran/,
    ],
    [
      'an answer with the outcome of another batch',
      [accepted(1)],
      { ...sent, answers: [{ ran: 1, succeeded: 5, failed: 0 }] },
      /told 5 succeeded/,
    ],
    ['a sender who learnt nothing', [accepted(1)], { ...sent, answers: [] }, /never learnt/],
    ['a fault in place of a refusal', [], { ...sent, answers: [{ refused: 'INTERNAL' }] }, /with INTERNAL/],
    ['another digest than the one shown', [{ ...accepted(1), digest: 'd2' }], sent, /which it was not shown/],
    [
      'a bare yes to a question that has just opened',
      [accepted(1, 'two#1'), { ...accepted(2), at: '2026-11-26T12:00:01.900Z' }],
      { ...sent, door: { name: 'signal, bare', forgets: true, waits: true } as const, answers: [] },
      /within two seconds/,
    ],
  ])('finds %s', (_, confirmations, decision, finding) => {
    expect(check(confirmations, decision)).toContainEqual(expect.stringMatching(finding));
  });
});
