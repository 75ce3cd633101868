import { generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTurns } from '../../src/api/turns';
import { ROLES } from '../../src/contract/access';
import { nameOf, roleOf } from '../../src/core/access/claims';
import { PERMISSIONS } from '../../src/commands/permissions';
import { mayDecide, mayInstruct, mayStart, reaches } from '../../src/core/access/permissions';
import { decisionText, isProven, type Decided } from '../../src/core/access/proof';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const known = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
const request: Decided['request'] & Record<string, unknown> = { batch: 1, by: 'Grace', decision_id: 'first' };
const decided: Decided = { operation_id: 'bulk-1', decision: 'continue', request };
const proof = sign(null, Buffer.from(decisionText(decided)), privateKey).toString('hex');
const proven = (change: Partial<Decided> = {}, key = known) =>
  isProven({ ...decided, request: { ...request, proof }, ...change }, key);

describe('the claims of an identity provider about a person', () => {
  const rules = [
    { role: 'admin', claim: 'realm_access.roles', value: 'bulk-admins' },
    { role: 'approver', claim: 'https://example.com/team', value: 'ops' },
    { role: 'operator', claim: 'email', value: 'ada@example.com' },
    { role: 'viewer', claim: 'groups', value: 'staff' },
  ] as const;
  const claims = { groups: ['other', 'staff'], email: 'ada@example.com', sub: 'ada' };

  it('gives the role of the first rule that matches', () => {
    expect(roleOf({ ...claims, realm_access: { roles: ['bulk-admins'] } }, rules)).toBe('admin');
    expect(roleOf({ ...claims, 'https://example.com/team': 'ops' }, rules)).toBe('approver');
    expect(roleOf({ ...claims, email_verified: true }, rules)).toBe('operator');
    expect(roleOf({ ...claims, groups: 'staff' }, rules)).toBe('viewer');
  });

  it('gives no role for an unverified email address, a part of a value, or a property of every object', () => {
    const none = [rules[2], { role: 'admin', claim: 'constructor.name', value: 'Object' }] as const;
    for (const email_verified of [undefined, false, 'true'])
      expect(roleOf({ ...claims, email_verified }, none)).toBeUndefined();
    expect(roleOf({ groups: 'staffing' }, rules)).toBeUndefined();
    expect(roleOf({ groups: [['staff']], realm_access: null }, rules)).toBeUndefined();
    expect(roleOf({}, [...none, { role: 'viewer' }])).toBe('viewer');
  });

  it('names a person by the claim, or by the subject if the claim cannot be recorded', () => {
    expect(nameOf({ name: ' Ada Lovelace ', sub: '1' }, 'name')).toBe('Ada Lovelace');
    for (const name of [undefined, '', 7, 'Ada\u0000', 'a'.repeat(151)])
      expect(nameOf({ name, sub: 'subject' }, 'name')).toBe('subject');
    expect(nameOf({}, 'name')).toBeUndefined();
  });
});

it('documents every route of the API, and no others', () => {
  const docs = readFileSync(join(__dirname, '../../docs/http-api.md'), 'utf8');
  const rows = docs.split('\n').filter((line) => /^\| `(GET|POST) \//.test(line));
  const documented = rows.flatMap((row) => row.match(/(?<=`)[A-Z]+ \/[^`]*/g) ?? []);
  const health = ['GET /livez', 'GET /readyz'];
  const routes = Object.keys(PERMISSIONS).filter(
    (route) => / \/(v1\/|openapi|docs|metrics)/.test(route) || route === 'POST /mcp',
  );
  expect(documented.sort()).toEqual([...routes, ...health].sort());
});

it('documents every route that answers without a key or a session', () => {
  const folder = join(__dirname, '../../src/api');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const routes = sources.flatMap((source) => [...source.matchAll(/\.(get|post)\(\s*['`](\/[^'`]*)['`],/g)]);
  // The server starts with no other route that is not in this table.
  const open = routes
    .map(([, verb = '', url = '']) => `${verb.toUpperCase()} ${url.replace(/:(\w+)/g, '{$1}')}`)
    .filter((route) => !route.includes('$') && !(route in PERMISSIONS));
  const docs = readFileSync(join(__dirname, '../../docs/http-api.md'), 'utf8');
  const [sentence = ''] = /^Without a key or a session, only these answer:[^]*?\n\n/m.exec(docs) ?? [];
  const named = [...sentence.matchAll(/`\/([\w.-]+)/g)].map(([, part = '']) => part);
  // Their addresses are computed.
  const computed = ['assets', '.well-known'];
  expect(named.filter((part) => !computed.includes(part)).sort()).toEqual(
    [...new Set(open.map((route) => route.split('/')[1]))].sort(),
  );
});

describe('the proof of a decision', () => {
  it('is valid for the decision that was signed', () => {
    expect(proven()).toBe(true);
  });

  it('is not valid for another operation, decision, person, batch or key', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
    const changes: Partial<Decided>[] = [
      { operation_id: 'bulk-2' },
      { decision: 'cancel' },
      { request: { ...request, by: 'Ada', proof } },
      { request: { ...request, batch: 2, proof } },
      { request: { ...request, proof: 'ab'.repeat(64) } },
      { request: { ...request, proof: 'no hex' } },
      { request },
    ];
    expect(changes.map((change) => proven(change))).toEqual(changes.map(() => false));
    expect(proven({}, other.subarray(-32).toString('hex'))).toBe(false);
    expect(proven({}, 'not a key')).toBe(false);
  });
});

describe('permissions', () => {
  it('give an admin everything but the tools of agents, and a viewer no change', () => {
    for (const [route, { roles }] of Object.entries(PERMISSIONS)) {
      if (route.endsWith(' /mcp')) {
        expect(roles).toEqual(['agent']);
        continue;
      }
      expect(roles).toContain('admin');
      // A form is useful only to people who may submit it, and the record of all people is for administrators.
      const looks =
        (route.startsWith('GET ') && !/^GET \/start|\/(?:edit|proof|passkeys|audit)$/.test(route)) ||
        /sign-out|touch/.test(route);
      expect([route, roles.includes('viewer')]).toEqual([route, looks]);
      expect(roles.every((role) => ROLES.includes(role))).toBe(true);
    }
  });

  it('give an agent and a viewer no decision, and an approver no start', () => {
    const rolesOf = (pattern: RegExp) =>
      Object.entries(PERMISSIONS).filter(([route, { own_only }]) => pattern.test(route) && !own_only);
    const decisions = rolesOf(/\/(continue|cancel|extend|resolve|answer|links|pause|resume|stop|dismiss)$/);
    expect(decisions.length).toBeGreaterThan(15);
    // These start an operation, or stop the assistant's own turn.
    const others = ['/v1/operations/{operation_id}/resume', '/v1/sessions/{session_id}/assistant/stop'];
    for (const [route, { roles }] of decisions.filter(([one]) => !others.some((path) => one.endsWith(path))))
      expect([route, roles.includes('agent'), roles.includes('viewer')]).toEqual([route, false, false]);
    const begun = rolesOf(
      /^POST .*(\/operations|\/previews|\/task-runs|\/macros|\/undo|\/rest|\/retry-failed)$/,
    );
    expect(begun.length).toBeGreaterThan(6);
    for (const [route, { roles }] of begun)
      expect([route, roles.includes('approver')]).toEqual([route, false]);
    expect(ROLES.filter(mayDecide)).toEqual(['operator', 'approver', 'admin']);
    expect(ROLES.filter(mayStart)).toEqual(['operator', 'agent', 'admin']);
    expect(PERMISSIONS['PATCH /v1/profiles/{profile}']?.roles).toEqual(['admin']);
  });

  it('let only those who may start give the assistant work, and no key with a session prefix', () => {
    for (const role of ROLES) {
      expect([role, mayInstruct({ role })]).toEqual([role, mayStart(role)]);
      expect([role, mayInstruct({ role, session_prefix: 'crm:' })]).toEqual([role, false]);
    }
  });

  it('reach a session by the beginning of its id, and jobs without a session only without a prefix', () => {
    const sessions = ['crm:7', 'crm', 'not-crm:7', undefined];
    expect(sessions.map((session) => reaches('crm:', session))).toEqual([true, false, false, false]);
    expect([reaches(undefined, undefined), reaches(undefined, 'any')]).toEqual([true, true]);
  });
});

it('takes turns: limits the concurrent work per key, in order, also after a failure', async () => {
  const inTurn = createTurns(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const work = (at: number) =>
    inTurn('one', () => {
      started.push(at);
      return new Promise<void>((resolve, reject) =>
        ends.push(at === 0 ? () => reject(new Error('no')) : resolve),
      );
    }).catch(() => undefined);
  const all = [0, 1, 2, 3].map(work);
  const other = inTurn('another', () => Promise.resolve('at once'));
  expect(await other).toBe('at once');
  expect(started).toEqual([0, 1]);
  ends[0]?.();
  await all[0];
  expect(started).toEqual([0, 1, 2]);
  ends.forEach((end) => end());
  await Promise.all(all.slice(0, 3));
  ends.forEach((end) => end());
  await Promise.all(all);
  expect(started).toEqual([0, 1, 2, 3]);
});
