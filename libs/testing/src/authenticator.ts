import { createHash, createSign, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JsonObject } from '@switchyard/values';

interface Ceremony {
  readonly origin: string;
  /** Whether the person was verified by fingerprint or PIN. True by default. */
  readonly verifies?: boolean;
  /** Replaces the one in the options. */
  readonly challenge?: string;
  readonly rpId?: string;
}

const present = 0x01;
const verified = 0x04;
const hasKey = 0x40;

/** A software authenticator: one P-256 key (ES256), no attestation. */
export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const id = randomBytes(32);
  let counter = 0;
  const clientData = (type: string, options: JsonObject, { origin, challenge }: Ceremony): Buffer =>
    Buffer.from(
      JSON.stringify({ type, challenge: challenge ?? options['challenge'], origin, crossOrigin: false }),
    );
  const authenticatorData = (rpId: string, flags: number, rest: Buffer = Buffer.alloc(0)): Buffer => {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, rest]);
  };
  const flagsOf = ({ verifies = true }: Ceremony): number => present | (verifies ? verified : 0);
  return {
    /** Answers `navigator.credentials.create`. */
    create: (options: JsonObject, ceremony: Ceremony): JsonObject => {
      const { x = '', y = '' } = createPublicKey(publicKey).export({ format: 'jwk' });
      const key = cbor(
        new Map<number, Cbor>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      );
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const rpId = ceremony.rpId ?? ((options['rp'] as JsonObject)['id'] as string);
      const data = authenticatorData(
        rpId,
        flagsOf(ceremony) | hasKey,
        Buffer.concat([Buffer.alloc(16), length, id, key]),
      );
      const attestation = cbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map<string, Cbor>()],
          ['authData', data],
        ]),
      );
      return answer(id, {
        clientDataJSON: clientData('webauthn.create', options, ceremony).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    /** Answers `navigator.credentials.get`. */
    get: (options: JsonObject, ceremony: Ceremony): JsonObject => {
      const client = clientData('webauthn.get', options, ceremony);
      const data = authenticatorData(ceremony.rpId ?? (options['rpId'] as string), flagsOf(ceremony));
      const signature = createSign('sha256')
        .update(Buffer.concat([data, createHash('sha256').update(client).digest()]))
        .sign(privateKey);
      return answer(id, {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      });
    },
  };
}

function answer(id: Buffer, response: JsonObject): JsonObject {
  const name = id.toString('base64url');
  return { id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

type Cbor =
  | number
  | string
  | Buffer
  | { [Symbol.iterator](): Iterator<[number | string, Cbor]>; readonly size: number };

/** The part of RFC 8949 that an authenticator uses. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const members = [...value].flatMap(([name, item]) => [cbor(name), cbor(item)]);
  return Buffer.concat([head(5, value.size), ...members]);
}

function head(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.from([type | argument]);
  if (argument < 256) return Buffer.from([type | 24, argument]);
  return Buffer.from([type | 25, argument >> 8, argument & 255]);
}
