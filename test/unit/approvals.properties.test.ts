import fc from '../helpers/properties';
import type { Approver } from '../../src/contract/policy';
import { judgeApproval, withoutApprovals } from '../../src/core/bulk/approvals';
import { assertedBy } from '../../src/core/bulk/approvers';
import { approved, askedWithout, withApprovers } from '../../src/core/bulk/approving';
import { judgeContinue } from '../../src/core/bulk/gate';
import { confirmed } from '../../src/core/bulk/lifecycle';
import { openGate, pendingOf, type OperationState } from '../../src/core/bulk/operation';
import { ended, plannedWith, requirement, START } from './lifecycle.fixtures';

const PEOPLE = ['ana', 'ben', 'cy', 'dora', 'rita'] as const;
/** Rita requests it, and dora is in no group. */
const MAY = new Set(['ana', 'ben', 'cy']);
const DOORS = ['page', 'other name', 'program', 'without the group'] as const;
type Door = (typeof DOORS)[number];

/** A person as a door knows them. A program is believed nothing where a sign-in is needed. */
function through(door: Door, name: string): Approver {
  if (door === 'program') return assertedBy(name);
  const groups = name === 'dora' || door === 'without the group' ? [] : ['finance'];
  const by = door === 'other name' ? `${name} at home` : name;
  return { subject: `https://id|${name}`, by, groups, roles: [], assurance: 'session' };
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('approve' as const),
      name: fc.constantFrom(...PEOPLE),
      door: fc.constantFrom(...DOORS),
      isStale: fc.integer({ min: 0, max: 4 }).map((at) => at === 0),
      id: fc.option(fc.constantFrom('d1', 'd2', 'd3', 'd4')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('leave out' as const), name: fc.constantFrom(...PEOPLE) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('batch ends' as const), fails: fc.boolean() }) },
);

it('runs a batch exactly when as many different people who may approve have approved exactly its question', () => {
  const seen = { runs: 0, agains: 0 };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 40 }), (approvals, steps) => {
      const policy = requirement({
        ...{ approvals, from: ['group:finance'], not_requester: true, assurance: 'session' },
      });
      const input = { batch_size: 5, requested_by: 'rita', requested_subject: 'https://id|rita' };
      let state: OperationState = plannedWith('p'.repeat(60), input, policy);
      /** Who has approved which question, by its digest. */
      const yes = new Map<string, Set<string>>();
      const used = new Set<string>();
      let before = 'f'.repeat(64);
      let made = 0;
      for (const one of steps) {
        const gate = openGate(state);
        if (one.kind === 'batch ends') {
          if (state.state !== 'running_batch') continue;
          const count = pendingOf(state, state.batch).length;
          state = ended(state, one.fails ? { codes: 'spppp'.slice(0, count) } : {});
          continue;
        }
        if (!gate) continue;
        const { door = 'page', isStale = false, id = null } = one.kind === 'approve' ? one : {};
        const decision_id = id ?? `x${++made}`;
        const approver = through(door, one.name);
        const asked = {
          ...{ decision_id, by: approver.by, digest: isStale ? before : gate.digest },
          ...(one.kind === 'leave out' && { exclude: [{ id: gate.items[0]?.id ?? '' }] }),
        };
        const verdict = judgeContinue(state, asked, START);
        const isNew = !used.has(decision_id);
        const may = MAY.has(one.name) && (door === 'page' || door === 'other name');
        const those = yes.get(gate.digest) ?? new Set<string>();
        yes.set(gate.digest, those);
        if (verdict.kind !== 'accepted') {
          expect([isStale, isNew]).not.toEqual([false, true]);
          continue;
        }
        const sender = { via: 'update' as const, assurance: approver.assurance, approver };
        const counted = judgeApproval(state, asked, approver, START);
        if (counted.kind === 'refused') {
          expect(may && !those.has(one.name) && gate.items.length > 1).toBe(false);
          if (counted.lost) {
            those.delete(one.name);
            state = withoutApprovals(state, (one) => one.subject === approver.subject);
          }
          continue;
        }
        used.add(decision_id);
        expect([may, those.has(one.name)]).toEqual([true, false]);
        if (counted.kind === 'leaves_out') {
          state = askedWithout(state, asked, sender, START);
          seen.agains++;
        } else {
          those.add(one.name);
          expect(counted.kind === 'sufficient').toBe(those.size === approvals);
          if (counted.kind === 'counts') state = approved(state, asked, sender, START);
          else {
            state = withApprovers(confirmed(state, asked, sender, START), sender);
            seen.runs++;
          }
        }
        if (openGate(state)?.digest !== gate.digest) before = gate.digest;
      }
    }),
    // All of them, on a slow machine too: how often both happened is looked at below.
    { seed: 20261127, numRuns: 400, interruptAfterTimeLimit: 300_000 },
  );
  expect(Math.min(seen.runs, seen.agains)).toBeGreaterThan(25);
});
