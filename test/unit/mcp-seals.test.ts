import { randomBytes } from 'node:crypto';
import { localCaller } from '../../src/mcp/stdio';
import { remoteCaller } from '../../src/mcp/http';
import { sessionOf } from '../../src/mcp/caller';
import { createSeal } from '../../src/mcp/confirmation/seal';

/** The library's context, which the seal does not bind a state to. */
const mcp = {} as never;
const gate = { batch: 2, attempt: 1, digest: 'ab'.repeat(32) };
const asked = { operation_id: 'bulk-1', batch: 2 };
const stale = expect.objectContaining({ code: 'STALE_CONFIRMATION' }) as Error;
const seal = createSeal(randomBytes(32));
const opened = async (of = seal) => of.open(await of.close(gate, 'bulk-1', 'ada', mcp), mcp);

describe('the sealed state of a question', () => {
  it('is valid once', async () => {
    const state = await opened();
    expect(seal.use(state, asked, 'ada')).toMatchObject({ ...gate, operation_id: 'bulk-1', caller: 'ada' });
    expect(() => seal.use(state, asked, 'ada')).toThrow(stale);
  });

  it('is valid for no other agent, operation or batch, and stays valid for its own', async () => {
    const state = await opened();
    expect(() => seal.use(state, asked, 'bob')).toThrow(stale);
    expect(() => seal.use(state, { ...asked, operation_id: 'bulk-2' }, 'ada')).toThrow(stale);
    expect(() => seal.use(state, { ...asked, batch: 1 }, 'ada')).toThrow(stale);
    for (const made of [undefined, null, {}, { ...gate, ...asked }, 'text'])
      expect(() => seal.use(made, asked, 'ada')).toThrow(stale);
    expect(seal.use(state, asked, 'ada')).toMatchObject(gate);
  });

  it('is opened only as it was sealed, by the same key, in time', async () => {
    const whole = await seal.close(gate, 'bulk-1', 'ada', mcp);
    const [version = '', body = '', mac = ''] = whole.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as { p: object };
    const forged = Buffer.from(JSON.stringify({ ...payload, p: { ...payload.p, caller: 'bob' } }));
    for (const state of [
      `${version}.${forged.toString('base64url')}.${mac}`,
      `${version}.${body}.AAAA`,
      `${version}.${body}`,
      '',
    ])
      await expect(seal.open(state, mcp)).rejects.toThrow();
    await expect(createSeal(randomBytes(32)).open(whole, mcp)).rejects.toThrow();
    await expect(opened(createSeal(randomBytes(32), -1))).rejects.toThrow('expired');
  });
});

describe('the sessions of an agent', () => {
  it('begin with what is its own, whatever it names', () => {
    const ada = remoteCaller({ id: 'key-1', name: 'Ada', session_prefix: 'team.' });
    expect(ada.sessions).toBe('team.mcp.key-1.');
    for (const named of [undefined, 'other', 'mcp.key-2.main', 'team.mcp.key-2.main', '', 'team.mcp.key-1'])
      expect(sessionOf(ada, named).startsWith('team.mcp.key-1.')).toBe(true);
    expect(sessionOf(ada, 'team.mcp.key-1.main')).toBe('team.mcp.key-1.main');
  });

  it('are those of no other key, and of no host on this machine', () => {
    const callers = [
      remoteCaller({ id: 'key-1', name: 'Ada' }),
      remoteCaller({ id: 'key-2', name: 'Ada' }),
      remoteCaller({ id: 'key-1', name: 'Ada', session_prefix: 'team.' }),
      localCaller('ada'),
    ];
    const prefixes = callers.map(({ sessions }) => sessions);
    for (const one of prefixes)
      expect(prefixes.filter((other) => other.startsWith(one) || one.startsWith(other))).toEqual([one]);
  });
});
