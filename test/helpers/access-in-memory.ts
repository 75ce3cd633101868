import { generateKeyPairSync } from 'node:crypto';
import type {
  AccessStore,
  ApiKey,
  NewKey,
  SignedIn,
  SignInAttempt,
  SignInLink,
} from '../../src/contract/access';

const isLater = (at?: string) => at === undefined || Date.parse(at) > Date.now();
const taken = <T>(map: Map<string, T>, key: string): T | undefined => {
  const value = map.get(key);
  map.delete(key);
  return value;
};

/** The HTTP API's store over maps, for tests of doors that need no database. */
export function accessInMemory(): AccessStore {
  const keys = new Map<string, ApiKey>();
  const sessions = new Map<string, SignedIn>();
  const links = new Map<string, SignInLink>();
  const attempts = new Map<string, SignInAttempt>();
  const requests = new Map<string, { digest: string; reference: string; answer?: unknown }>();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const isValid = (key?: ApiKey) =>
    key !== undefined && key.revoked_at === undefined && isLater(key.expires_at);
  const usable = <T extends { expires_at: string }>(entry?: T) =>
    entry && isLater(entry.expires_at) ? entry : undefined;
  const byId = (id: string) => [...keys.values()].find(({ key_id }) => key_id === id);
  return {
    createKey({ hash, ...key }: NewKey) {
      const created = { ...key, key_id: `key-${keys.size + 1}`, created_at: new Date().toISOString() };
      keys.set(hash, created);
      return Promise.resolve(created);
    },
    listKeys: () => Promise.resolve([...keys.values()]),
    revokeKey(id) {
      const key = byId(id);
      if (key) key.revoked_at = new Date().toISOString();
      return Promise.resolve(key);
    },
    findKey: (hash) => Promise.resolve(isValid(keys.get(hash)) ? keys.get(hash) : undefined),
    findKeyById: (id) => Promise.resolve(isValid(byId(id)) ? byId(id) : undefined),
    standingsOf: (people) => Promise.resolve(people.map(() => 'unknown')),
    openSession: (hash, session) => Promise.resolve(void sessions.set(hash, session)),
    findSession: (hash) => Promise.resolve(usable(sessions.get(hash))),
    closeSession: (hash) => Promise.resolve(void sessions.delete(hash)),
    keepLink: (link) => Promise.resolve(void links.set(link.hash, link)),
    findLink: (hash) => Promise.resolve(usable(links.get(hash))),
    takeLink: (hash) => Promise.resolve(usable(taken(links, hash))),
    keepAttempt: (hash, attempt) => Promise.resolve(void attempts.set(hash, attempt)),
    takeAttempt: (hash) => Promise.resolve(usable(taken(attempts, hash))),
    rememberRequest(caller, key, request) {
      const id = JSON.stringify([caller, key]);
      const first = requests.get(id) ?? request;
      requests.set(id, first);
      return Promise.resolve(first);
    },
    rememberAnswer(caller, key, answer) {
      const first = requests.get(JSON.stringify([caller, key]));
      if (first) first.answer ??= answer;
      return Promise.resolve();
    },
    recallAnswer: (caller, key) => Promise.resolve(requests.get(JSON.stringify([caller, key]))?.answer),
    findOperations: () => Promise.resolve([]),
    // Tests of passkeys run over a real store.
    passkeys: undefined as never,
    signingKey: () =>
      Promise.resolve({
        private_key: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
        public_key: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
      }),
  };
}
