import fc from '../helpers/properties';
import '../helpers/property-budget';
import type { PolicyInput } from '../../src/contract/policy';
import { closesAt, frozenWindows, neverOpens, openAt } from '../../src/core/bulk/windows';
import { requirementOf } from '../../src/core/policy/evaluation';
import { sizesUnder } from '../../src/core/policy/narrowing';
import { policiesSchema, type Policy } from '../../src/core/policy/rules';

const names = ['person:anna', 'person:ben', 'person:cy', 'group:finance', 'group:legal', 'role:approver'];
const someNames = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });
const parsed = (...rules: object[]): Policy[] =>
  policiesSchema.parse(rules.map((rule, at) => ({ name: `p${at}`, ...rule })));

it('never gives an approval to somebody whom either the policy or the start leaves out', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...names)),
      someNames,
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ after: fc.integer({ min: 1, max: 100 }), to: someNames }), { maxLength: 3 }),
      (from, approvers, approvals, escalate) => {
        const require = { from, approvals, ...(escalate.length > 0 && { escalate }) };
        const rules = parsed({ when: 'true', require });
        const { requirement, refused } = requirementOf(rules, { approvers });
        expect(refused === undefined).toBe(requirement !== undefined);
        if (!requirement) return;
        expect(requirement.approvals).toBe(approvals);
        const asked = [...requirement.from, ...(requirement.escalate ?? []).flatMap(({ to }) => to)];
        expect(requirement.from.length).toBeGreaterThan(0);
        for (const name of asked) expect(approvers).toContain(name);
        for (const name of requirement.from) if (from.length > 0) expect(from).toContain(name);
        const people = new Set(asked);
        const isOpen = asked.some((name) => !name.startsWith('person:'));
        expect(isOpen || people.size >= approvals).toBe(true);
      },
    ),
  );
});

/** Conditions over three variables, each of which may be absent. */
const atoms = ['requester == "anna"', 'session == "s"', 'total > 5', 'via == "mcp"', 'true', 'false'];
const { condition } = fc.letrec<{ condition: string; atom: string }>((tie) => ({
  atom: fc.constantFrom(...atoms),
  condition: fc.oneof(
    { maxDepth: 4 },
    tie('atom'),
    tie('condition').map((inner) => `!(${inner})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
      .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
  ),
}));

it('refuses an operation unless every value of what is absent leads to the same judgement', () => {
  const values: PolicyInput = { requester: 'anna', session: 's', total: 6, via: 'mcp' };
  const others: PolicyInput = { requester: 'ben', session: 't', total: 5, via: 'http' };
  const missing = fc.subarray(Object.keys(values) as (keyof PolicyInput)[]);
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 3 }), missing, (conditions, absent) => {
      const rules = parsed(
        ...conditions.map((when, at) => ({ when, ...(at % 2 === 0 ? { require: {} } : { refuse: 'no' }) })),
      );
      const without = { ...values, ...Object.fromEntries(absent.map((name) => [name, undefined])) };
      const verdict = requirementOf(rules, without);
      if (verdict.refused?.code === 'NOT_CONFIGURED') return;
      for (let mask = 0; mask < 2 ** absent.length; mask++) {
        const given = Object.fromEntries(
          absent.map((name, at) => [name, ((mask >> at) & 1 ? others : values)[name]]),
        );
        expect(requirementOf(rules, { ...values, ...given })).toEqual(verdict);
      }
    }),
  );
});

it('narrows batches to the largest that is allowed, and a second time changes nothing', () => {
  const size = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 10 }), size, (batch_sizes, most) => {
      const asked = { batch_size: batch_sizes.at(-1) ?? 1, batch_sizes };
      const narrowed = sizesUnder(asked, most);
      const { batch_sizes: sizes = [] } = narrowed;
      expect(Math.max(...sizes, narrowed.batch_size)).toBeLessThanOrEqual(most);
      expect(sizes.at(-1)).toBe(narrowed.batch_size);
      // Each batch is the smaller of the one that was asked for and the largest.
      batch_sizes.forEach((wanted, at) => expect(sizes[at] ?? sizes.at(-1)).toBe(Math.min(wanted, most)));
      expect(sizesUnder(narrowed, most)).toEqual(narrowed);
    }),
  );
});

it('opens a batch only in the windows of the domain and of the policy alike', () => {
  const now = Date.parse('2026-11-27T12:00:00Z');
  const hour = fc.integer({ min: 0, max: 23 }).map((one) => `${String(one).padStart(2, '0')}:00`);
  const day = fc.constantFrom('mon' as const, 'wed' as const, 'sun' as const);
  const rule = fc
    .record({
      from: hour,
      to: hour,
      zone: fc.constantFrom('UTC', 'Europe/Berlin'),
      days: fc.option(fc.uniqueArray(day, { minLength: 1 }), { nil: undefined }),
    })
    .filter(({ from, to }) => from !== to);
  const some = fc.array(rule, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(some, some, fc.integer({ min: 0, max: 14 * 86_400_000 }), (ofDomain, ofPolicy, ahead) => {
      const domain = frozenWindows(ofDomain, now);
      const policy = frozenWindows(ofPolicy, now).map((one) => ({ ...one, policy: true as const }));
      const both = [...domain, ...policy];
      if (neverOpens(both, now)) return;
      const opens = openAt(both, now + ahead);
      expect(openAt(domain, opens)).toBe(opens);
      expect(openAt(policy, opens)).toBe(opens);
      const closes = closesAt(both, opens) ?? 0;
      expect(closes).toBeGreaterThan(opens);
      expect(closes).toBe(Math.min(closesAt(domain, opens) ?? 0, closesAt(policy, opens) ?? 0));
    }),
  );
});
