import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Deliveries } from '../../src/api/deliveries';
import type { Role } from '../../src/contract/access';
import type { DecisionSignature } from '../../src/contract/passkeys';
import type { BulkStatus } from '../../src/contract/operation';
import { selectionOf, SETTLE_MS } from '../../src/core/approval/selection';
import { createAuthenticator, type Authenticator, type Deviation } from './authenticator';
import type { HttpApi } from './http-api';
import { useLink } from './sign-in';

interface Answer {
  status: number;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

/** A signed-in person who uses the pages and a device in the same way as the page's script. */
export interface PersonWithPasskey {
  name: string;
  device: Authenticator;
  session: string;
  open(path: string): Promise<Answer>;
  send(path: string, fields?: Record<string, string | string[]>): Promise<Answer>;
  /** Requests the options of a registration, and sends the device's answer to them. */
  register(made?: Deviation, fields?: Record<string, string>): Promise<Answer>;
  /** The fields of the open question's form; `without` some of its items. */
  form(status: BulkStatus, without?: number[]): Record<string, string | string[]>;
  challenge(id: string, form: Record<string, string | string[]>): Promise<Answer>;
  /** Signs the open question with the device, and sends the form with the signature. */
  sign(id: string, form: Record<string, string | string[]>, made?: Deviation): Promise<Answer>;
}

/** The origin at which pages sign: browsers use no passkeys at an IP address, so it is `localhost`. */
export const pageOrigin = ({ url }: HttpApi): string => url.replace('127.0.0.1', 'localhost');

export async function personWithPasskey(
  http: HttpApi,
  deliveries: Deliveries,
  { name, role = 'approver', device = createAuthenticator(pageOrigin(http)) }: PersonOptions,
): Promise<PersonWithPasskey> {
  const signedIn = await useLink(await http.api.signInLink({ name, role }));
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const session = createHash('sha256')
    .update(cookie.split('=')[1] ?? '')
    .digest('hex');
  const reader = `person-${session.slice(0, 16)}`;
  const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  const answerOf = async (answer: Response): Promise<Answer> => {
    const text = await answer.text();
    return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  const person: PersonWithPasskey = {
    ...{ name, device, session },
    open: async (path) =>
      answerOf(await fetch(`${http.url}${path}`, { headers: { cookie }, redirect: 'manual' })),
    async send(path, fields = {}) {
      const all = Object.entries({ form_token: me.form_token as string, ...fields });
      const body = new URLSearchParams(
        all.flatMap(([field, values]) => [values].flat().map((value): [string, string] => [field, value])),
      );
      const headers = { cookie, origin: http.url };
      return answerOf(
        await fetch(`${http.url}${path}`, { method: 'POST', headers, redirect: 'manual', body }),
      );
    },
    async register(made, fields = {}) {
      const challenge = await person.send('/passkeys/challenge', fields);
      if (challenge.status !== 200) return challenge;
      const passkey = device.create(challenge.body as never, made);
      return person.send('/passkeys', { label: 'Phone', ...fields, passkey });
    },
    form({ next_batch: gate }, without = []) {
      if (!gate) throw new Error('no question is open');
      const { digest, items } = gate;
      const keep = items.map((_, at) => at).filter((at) => !without.includes(at));
      return {
        ...{ batch: String(gate.number), attempt: String(gate.attempt), digest },
        shown: selectionOf(gate, keep).digest,
        shown_at: deliveries.stamp(reader, digest, Date.now() - SETTLE_MS),
        decision_id: `${session.slice(0, 8)} ${digest.slice(0, 8)}`,
        keep: keep.map(String),
      };
    },
    challenge: (id, form) => person.send(`/operations/${id}/challenge`, form),
    async sign(id, form, made) {
      const challenge = await person.challenge(id, form);
      if (challenge.status !== 200) return challenge;
      return person.send(`/operations/${id}/continue`, {
        ...form,
        passkey: device.sign(challenge.body as never, made),
      });
    },
  };
  return person;
}

interface PersonOptions {
  name: string;
  role?: Role;
  device?: Authenticator;
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest();
const bytes = (text: string) => Buffer.from(text, 'base64url');

/** An auditor's check of a stored signature, without our code. */
export function isGenuine(signature: DecisionSignature): boolean {
  const clientData = JSON.parse(bytes(signature.client_data_json).toString());
  const data = bytes(signature.authenticator_data);
  const key = createPublicKey({
    key: Buffer.from(signature.public_key, 'base64'),
    format: 'der',
    type: 'spki',
  });
  return (
    clientData.type === 'webauthn.get' &&
    clientData.origin === signature.origin &&
    clientData.challenge === sha256(signature.decision).toString('base64url') &&
    data.subarray(0, 32).equals(sha256(signature.rp_id)) &&
    // User present and user verified.
    ((data[32] ?? 0) & 5) === 5 &&
    verify(
      'sha256',
      Buffer.concat([data, sha256(bytes(signature.client_data_json))]),
      key,
      bytes(signature.signature),
    )
  );
}
