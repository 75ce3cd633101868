import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** The differences of an answer from that of an honest device on an honest page. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  /** True if the device verified its person (a PIN, a finger, a face). */
  verified?: boolean;
  counter?: number;
  /** The key of another device, whose answer comes under this one's id. */
  key?: KeyObject;
}

/** The options of a server's request to a device: a registration has `rp`, a decision `rpId`. */
interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
}

/** A device that makes passkeys, in software. Its answers have the form that a browser sends. */
export interface Authenticator {
  passkey_id: string;
  key: KeyObject;
  counter: number;
  /** Answers the options of a registration; `sign` those of a decision. */
  create(options: Options, deviation?: Deviation): string;
  sign(options: Options, deviation?: Deviation): string;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const text = (data: Uint8Array) => Buffer.from(data).toString('base64url');
const [PRESENT, VERIFIED, NEW_KEY] = [0x01, 0x04, 0x40];

export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const clientData = (options: Options, type: string, deviation: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge: deviation.challenge ?? options.challenge,
        origin: deviation.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const head = (rpId: string, flags: number, { verified = true, counter = device.counter }: Deviation) => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter);
    return [sha256(rpId), Buffer.from([flags | PRESENT | (verified ? VERIFIED : 0)]), counted];
  };
  const answer = (response: object) =>
    JSON.stringify({
      id: text(id),
      rawId: text(id),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  const device: Authenticator = {
    passkey_id: text(id),
    key: privateKey,
    counter: 0,
    create(options, deviation = {}) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const part = (value: string) => new Uint8Array(Buffer.from(value, 'base64url'));
      // EC2, ES256, P-256 and its point (RFC 9053).
      const cose = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, part(x)],
          [-3, part(y)],
        ]),
      );
      const authData = Buffer.concat([
        ...head(deviation.rpId ?? options.rp?.id ?? '', NEW_KEY, deviation),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        Buffer.from(cose),
      ]);
      const attestation = isoCBOR.encode(
        new Map<string, string | Map<string, string> | Uint8Array>([
          ['fmt', 'none'],
          ['attStmt', new Map<string, string>()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      return answer({
        attestationObject: text(attestation),
        clientDataJSON: text(clientData(options, 'webauthn.create', deviation)),
        transports: ['internal'],
      });
    },
    sign(options, deviation = {}) {
      const authData = Buffer.concat(head(deviation.rpId ?? options.rpId ?? '', 0, deviation));
      const data = clientData(options, 'webauthn.get', deviation);
      const signed = sign('sha256', Buffer.concat([authData, sha256(data)]), deviation.key ?? privateKey);
      return answer({
        authenticatorData: text(authData),
        clientDataJSON: text(data),
        signature: text(signed),
      });
    },
  };
  return device;
}
