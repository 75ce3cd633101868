import type { PolicyInput, Requirement } from '../../src/contract/policy';
import { wrongCondition } from '../../src/core/policy/conditions';
import { requirementOf, type PolicyQuestion } from '../../src/core/policy/evaluation';
import { explain } from '../../src/core/policy/explanation';
import { policyMistakes } from '../../src/core/policy/mistakes';
import { sizesUnder } from '../../src/core/policy/narrowing';
import { impossible } from '../../src/core/policy/reachable';
import { policiesSchema, requirementIn, type Policy } from '../../src/core/policy/rules';
import { policySentence, policyWords } from '../../src/core/policy/words';

const policies = (...rules: object[]): Policy[] =>
  policiesSchema.parse(rules.map((rule, at) => ({ name: `policy ${at + 1}`, when: 'true', ...rule })));
const only = (require: object): Requirement => {
  const [policy] = policies({ require });
  const requirement = policy && requirementIn(policy);
  if (!requirement) throw new Error('requires nothing');
  return requirement;
};

const INPUT: PolicyInput = {
  ...{ domain: 'sql', action: 'delete', params: { table: 'orders', limit: 5 }, total: 120, batch_size: 10 },
  ...{ reversible: 'no', groups: [{ kind: 'fails', count: 2, text: '', fields: [] }], requester: 'anna' },
  ...{ agent: true, session: 'shop-1', via: 'mcp', time: '2026-11-27T19:30:00Z' },
};

/** Whether a condition matches this input; `refused` if it cannot be evaluated. */
function judged(when: string, input: PolicyInput = INPUT): boolean | 'refused' {
  const { requirement, refused } = requirementOf(policies({ when, require: {} }), input);
  return refused ? 'refused' : requirement !== undefined;
}

it.each([
  ['domain == "sql" && action == "delete"', true],
  ['params.table == "orders" && params.limit == 5', true],
  ['params.limit + 1 > 5', true],
  ['total > 100', true],
  ['total > 120', false],
  ['total == 120 && batch_size <= 10', true],
  ['double(total) / 2.0 > 59.5', true],
  ['total / batch_size == 12', true],
  ['reversible == "no"', true],
  ['groups.exists(g, g.kind == "fails" && g.count >= 2)', true],
  ['size(groups) == 1', true],
  ['requester == "anna" && session.startsWith("shop-")', true],
  ['via in ["mcp", "http"]', true],
  ['agent && reversible == "no"', true],
  ['!agent', false],
  ['time.getHours("Europe/Berlin") >= 20', true],
  ['time.getHours() >= 20', false],
  ['timestamp(time) < timestamp("2026-11-28T00:00:00Z")', true],
  ['time.getDayOfWeek("Europe/Berlin") in [0, 6]', false],
])('matches by what an operation is: %s', (when, matches) => {
  expect(wrongCondition(when)).toBeUndefined();
  expect(judged(when)).toBe(matches);
});

it.each([
  ['requester == "anna"', { requester: undefined }],
  ['requester != "anna"', { requester: undefined }],
  ['!(requester == "anna")', { requester: undefined }],
  ['session == "x" || total > 1000', { session: undefined }],
  ['reversible == "no"', { reversible: undefined }],
  ['groups.exists(g, true)', { groups: undefined }],
  ['params.owner == "anna"', {}],
  ['params.table.name == "x"', {}],
  ['params.table', {}],
  ['params.limit > "a"', {}],
])('refuses what reads something absent, or of another type: %s', (when, absent) => {
  expect(judged(when, { ...INPUT, ...absent })).toBe('refused');
});

it.each([
  ['"requester" in given && requester == "anna"', {}, true],
  ['"requester" in given && requester == "anna"', { requester: undefined }, false],
  ['!("session" in given)', { session: undefined }, true],
  ['has(params.owner) && params.owner == "anna"', {}, false],
  ['domain == "gmail" && params.owner == "anna"', {}, false],
])('matches what guards it: %s', (when, absent, matches) => {
  expect(judged(when, { ...INPUT, ...absent })).toBe(matches);
});

it('names the policy that cannot be evaluated, and does not try the next one', () => {
  const rules = policies({ name: 'by owner', when: 'params.owner == "x"', require: {} }, { refuse: 'No.' });
  const { refused } = requirementOf(rules, INPUT);
  expect(refused).toMatchObject({ code: 'NOT_CONFIGURED', details: { policy: 'by owner' } });
  expect(refused?.message).toContain('“by owner”');
  expect(refused?.hint).toContain('"requester" in given');
});

it('applies the first policy that matches', () => {
  const rules = policies(
    { name: 'small', when: 'total < 10', require: {} },
    { name: 'deletions', when: 'action == "delete"', refuse: 'Archive instead.' },
    { name: 'all', require: { approvals: 2 } },
  );
  expect(requirementOf(rules, { ...INPUT, total: 9 }).requirement?.policy).toBe('small');
  expect(requirementOf(rules, INPUT).refused).toMatchObject({
    code: 'FORBIDDEN',
    message: 'The policy “deletions” refuses this: Archive instead.',
    details: { policy: 'deletions', reason: 'Archive instead.' },
  });
  expect(requirementOf(rules, { ...INPUT, action: 'update' }).requirement).toEqual({
    ...{ policy: 'all', approvals: 2, from: [], not_requester: false, distinct: true },
    ...{ assurance: 'asserted', on_refusal: 'cancel' },
  });
  expect(requirementOf(rules.slice(0, 1), INPUT)).toEqual({});
});

it.each([
  ['total > "x"', 'no such overload'],
  ['total >', 'is not valid CEL'],
  ['nobody == 1', 'Unknown variable: nobody'],
  ['domain', 'is string, not a boolean'],
  ['!reversible', 'no such overload'],
  ['has(requester)', 'has() invalid argument'],
  ['domain.matches("(a+)+$")', 'regular expression'],
])('refuses a condition that does not compile: %s', (when, message) => {
  const [mistake] = policyMistakes(policies({ when, require: {} }), {});
  expect(mistake).toMatchObject({ path: ['policies', 0, 'when'], name: 'policy 1' });
  expect(mistake?.message).toContain(message);
});

it.each<[object, object, string | undefined]>([
  [{ approvals: 2, from: ['person:anna'] }, {}, 'needs 2 approvals of different people'],
  [{ approvals: 2, from: ['person:anna', 'person:anna'] }, {}, 'needs 2 approvals of different people'],
  [{ approvals: 2, from: ['person:anna', 'person:ben'] }, {}, undefined],
  [{ approvals: 2, from: ['person:anna'], distinct: false }, {}, undefined],
  [{ approvals: 2, from: ['person:anna', 'role:approver'] }, {}, undefined],
  [{ from: ['group:finance'] }, { groups: true }, undefined],
  [{ from: ['group:finance'] }, { groups: false }, 'no identity provider'],
  [{ approvals: 2, from: ['person:anna', 'group:finance'] }, { groups: false }, 'needs 2 approvals'],
  [{ from: ['person:anna', 'group:finance'] }, { groups: false }, undefined],
  [{ from: ['role:approvers'] }, {}, 'names role:approvers'],
  [{ from: ['role:viewer'] }, {}, 'names role:viewer'],
  [{ approvals: 2, from: ['person:Anna', 'person:anna'] }, {}, 'and 1 of those whom it names'],
  [{ from: ['person:Anna'], not_requester: true }, { requester: 'anna' }, 'needs 1 approval'],
  [
    { assurance: 'signed' },
    { noPasskeys: 'there are none' },
    'asks for signed approvals, and there are none',
  ],
  [{ assurance: 'signed' }, {}, undefined],
  [{ assurance: 'session' }, { noPasskeys: 'there are none' }, undefined],
  [{ assurance: 'signed' }, { signIn: false }, 'nobody can sign in'],
  [{ assurance: 'session' }, { signIn: false }, 'nobody can sign in'],
  [{ assurance: 'platform' }, { signIn: false }, 'nobody can sign in'],
  [{ from: ['role:admin'] }, { signIn: false }, 'asks role:admin, and nobody can sign in'],
  [{ from: ['group:finance'] }, { signIn: false }, 'asks group:finance, and nobody can sign in'],
  [{ approvals: 2, from: ['role:admin', 'person:anna'] }, { signIn: false }, 'needs 2 approvals'],
  [{ from: ['role:admin', 'person:anna'] }, { signIn: false }, undefined],
  [{ approvals: 2 }, { signIn: false }, undefined],
  [{ deadline: '1h', escalate: [{ after: '2h', to: ['role:admin'] }] }, {}, 'when its question has expired'],
  [{ from: ['person:anna'], not_requester: true }, { requester: 'anna' }, 'needs 1 approval'],
  [{ from: ['person:anna'], not_requester: true }, { requester: 'ben' }, undefined],
  [{ from: ['person:anna'] }, { requester: 'anna' }, undefined],
])('knows what nobody can satisfy: %j with %j', (require, identities, why) => {
  const said = impossible(only(require), identities);
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(why);
});

it('refuses what takes no approval of its requester, if nobody says who that is', () => {
  const rules = policies({ require: { not_requester: true } });
  expect(requirementOf(rules, { ...INPUT, requester: undefined }).refused).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('does not say who requests it'),
    hint: expect.stringContaining('`requested_by`'),
  });
  expect(requirementOf(rules, INPUT).requirement).toBeDefined();
  const fine = policies({ require: {} });
  expect(requirementOf(fine, { ...INPUT, requester: undefined }).requirement).toBeDefined();
});

it('refuses approvers of a start for whom no door vouches', () => {
  const question = { ...INPUT, approvers: ['group:finance'] };
  expect(requirementOf([], question, { groups: false }).refused?.code).toBe('INVALID_INPUT');
  expect(requirementOf([], question, { signIn: false }).refused?.code).toBe('INVALID_INPUT');
  expect(requirementOf([], question, {}).requirement).toBeDefined();
});

it.each<[string[], string[], string[] | undefined]>([
  [['person:anna', 'person:ben'], ['person:ben', 'person:cy'], ['person:ben']],
  [[], ['person:ben'], ['person:ben']],
  [['group:finance'], ['group:finance'], ['group:finance']],
  [['person:anna'], ['person:ben'], undefined],
  [['group:finance'], ['person:anna'], undefined],
])('lets a start narrow the approvers %j to %j, and no more', (from, approvers, left) => {
  const question: PolicyQuestion = { ...INPUT, approvers };
  const { requirement, refused } = requirementOf(policies({ require: { from } }), question);
  expect(requirement?.from).toEqual(left);
  expect(refused?.code).toBe(left ? undefined : 'INVALID_INPUT');
});

it('makes approvers of a start without a policy a requirement of their own', () => {
  const { requirement } = requirementOf([], { ...INPUT, approvers: ['person:ben'] });
  expect(requirement).toMatchObject({ approvals: 1, from: ['person:ben'], assurance: 'asserted' });
});

it('narrows the escalation too, and leaves fewer approvers than are needed to nobody', () => {
  const escalate = [
    { after: 60, to: ['person:cy', 'role:admin'] },
    { after: '2m', to: ['role:admin'] },
  ];
  const from = ['person:anna', 'person:ben'];
  const rules = policies({ require: { from, escalate } });
  const { requirement } = requirementOf(rules, { ...INPUT, approvers: ['person:ben', 'person:cy'] });
  expect(requirement).toMatchObject({
    from: ['person:ben'],
    escalate: [{ after_seconds: 60, to: ['person:cy'] }],
  });
  const two = policies({ require: { approvals: 2, from } });
  const { refused } = requirementOf(two, { ...INPUT, approvers: ['person:ben'] });
  expect(refused?.message).toMatch(/^Nobody could approve this under the policy/);
});

it.each<[object, string]>([
  [{}, 'needs 1 approval'],
  [
    { approvals: 2, from: ['group:Finance'], not_requester: true, assurance: 'signed' },
    'needs 2 of Finance; not the requester; signed',
  ],
  [{ from: ['person:anna@x.org', 'role:approver'] }, 'needs 1 of anna@x.org, the role approver'],
  [{ approvals: 3, assurance: 'session' }, 'needs 3 approvals; signed in'],
  [{ approvals: 2, distinct: false }, 'needs 2 approvals; one person may approve more than once'],
  [{ max_batch_size: 1 }, 'needs 1 approval; at most 1 item at a time'],
  [
    { editable: false, deadline: '90m', on_refusal: 'hold' },
    'needs 1 approval; cannot be edited; answered within 90 minutes; a refusal holds it',
  ],
  [{ from: ['group:a'], escalate: [{ after: '1h', to: ['group:b'] }] }, 'needs 1 of a; after 1 hour also b'],
  [
    { windows: [{ days: ['sat'], from: '08:00', to: '12:00', zone: 'UTC' }] },
    'needs 1 approval; begins only on Saturday from 08:00 to 12:00 (UTC)',
  ],
  [{ from: [1, 2, 3, 4, 5, 6, 7].map((one) => `person:p${one}`) }, 'needs 1 of p1, p2, p3, p4, p5, 2 more'],
])('says %j in words', (require, words) => {
  expect(policyWords(only(require))).toBe(words);
  expect(policySentence(only(require))).toBe(`Policy “policy 1”: ${words}.`);
});

it.each<[number, number[] | undefined, number | undefined, number, number[] | undefined]>([
  [10, undefined, undefined, 10, undefined],
  [10, undefined, 20, 10, undefined],
  [10, undefined, 3, 3, undefined],
  [20, [1, 5, 20], 5, 5, [1, 5]],
  [20, [1, 5, 20], 7, 7, [1, 5, 7]],
  [20, [10, 20], 2, 2, [2]],
  [5, [5, 5], 10, 5, [5, 5]],
])('narrows batches of %d or %j to %p', (batch_size, batch_sizes, most, size, sizes) => {
  expect(sizesUnder({ batch_size, batch_sizes }, most)).toEqual({
    batch_size: size,
    ...(sizes && { batch_sizes: sizes }),
  });
});

it.each<[object, string]>([
  [{ name: '', require: {} }, 'name'],
  [{ refuse: 'no', require: {} }, 'needs either'],
  [{}, 'needs either'],
  [{ when: '', require: {} }, 'when'],
  [{ require: { approvals: 0 } }, 'approvals'],
  [{ require: { approval: 2 } }, 'approval'],
  [{ require: { from: ['anna'] } }, 'must be person:NAME'],
  [{ require: { assurance: 'sure' } }, 'assurance'],
  [{ require: { deadline: '1 hour' } }, 'must be a number of seconds'],
  [{ require: { deadline: '9999999d' } }, 'must be a number of seconds'],
  [{ require: { windows: [{ from: '08:00', to: '12:00', zone: 'Nowhere/X' }] } }, 'IANA'],
  [{ require: { escalate: [{ after: 60 }] } }, 'to'],
])('refuses the policy %j', (rule, said) => {
  const { error } = policiesSchema.safeParse([{ name: 'one', when: 'true', ...rule }]);
  expect(JSON.stringify(error?.issues)).toContain(said);
});

it('refuses two policies of one name', () => {
  const rule = { name: 'one', when: 'true', require: {} };
  expect(policiesSchema.safeParse([rule, rule]).error?.issues[0]).toMatchObject({ path: [1, 'name'] });
});

it('explains which policy applies, and why none before it does', () => {
  const rules = policies(
    { name: 'mail', when: 'domain == "gmail" && total > 10', require: {} },
    { name: 'large', when: 'domain == "sql" && (total > 1000 || batch_size > 20)', refuse: 'Too many.' },
    { name: 'deletions', when: 'action == "delete"', require: { approvals: 2, from: ['group:dba'] } },
    { name: 'never reached', when: 'true', refuse: 'No.' },
  );
  expect(explain(rules, INPUT)).toMatchObject({
    policy: 'deletions',
    effect: 'require',
    words: 'needs 2 of dba',
    tried: [
      { policy: 'mail', result: 'not_matched', why: 'domain == "gmail" is false; domain is "sql"' },
      {
        policy: 'large',
        result: 'not_matched',
        why: 'total > 1000 || batch_size > 20 is false; total is 120; batch_size is 10',
      },
      { policy: 'deletions', result: 'matched' },
    ],
  });
  expect(explain(rules, { ...INPUT, total: 2_000 })).toMatchObject({
    policy: 'large',
    effect: 'refuse',
    error: { code: 'FORBIDDEN' },
  });
  expect(explain(rules.slice(0, 1), INPUT)).toMatchObject({ effect: 'none', tried: [{}] });
  const agents = policies({ when: 'agent && total > 5', refuse: 'No.' });
  expect(explain(agents, { ...INPUT, agent: false }).tried).toMatchObject([{ why: 'agent is false' }]);
  expect(explain(rules.slice(0, 1), { total: 20 })).toMatchObject({
    effect: 'refuse',
    tried: [{ result: 'failed' }],
  });
});
