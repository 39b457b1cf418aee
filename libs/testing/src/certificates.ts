import { Buffer } from 'node:buffer';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';

/** A certificate and its private key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  /** Names that it is for; `localhost` unless set. */
  readonly names?: readonly string[];
  /** From now on, in days; negative: it has ended. */
  readonly days?: number;
}

/** A certificate authority of a test. */
export interface TestAuthority {
  readonly cert: string;
  issue(wanted?: Wanted): TestCertificate;
}

const dayMs = 86_400_000;

/** Makes an authority with certificates (RFC 5280) on P-256, signed by ECDSA with SHA-256. */
export function makeAuthority(name = 'Test authority'): TestAuthority {
  const own = newKeys();
  const certify = (subject: string, key: KeyObject, days: number, extensions: readonly Buffer[]): string => {
    const now = Date.now();
    const validity = sequence(time(now - 30 * dayMs), time(now + days * dayMs));
    const body = sequence(
      tagged(0xa0, tagged(0x02, Buffer.of(2))),
      tagged(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
      algorithm,
      nameOf(name),
      validity,
      nameOf(subject),
      key.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const signature = sign('sha256', body, { key: own.privateKey, dsaEncoding: 'der' });
    const der = sequence(body, algorithm, tagged(0x03, Buffer.of(0), signature));
    const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  };
  return {
    cert: certify(name, own.publicKey, 365, [mayCertify]),
    issue: ({ names = ['localhost'], days = 90 } = {}) => {
      const { publicKey, privateKey } = newKeys();
      return {
        cert: certify(names[0] ?? '', publicKey, days, [namesOf(names)]),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey: createPublicKey(publicKey), privateKey: createPrivateKey(privateKey) };
}

/** One value of DER: its tag, its length and its content. */
function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const size =
    length < 0x80
      ? Buffer.of(length)
      : length < 0x100
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, bytes]);
}

const sequence = (...content: readonly Buffer[]): Buffer => tagged(0x30, ...content);
const identifier = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const nameOf = (text: string): Buffer =>
  sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(text)))));
const time = (at: number): Buffer =>
  tagged(0x18, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '')}Z`));
/** ecdsa-with-SHA256 (RFC 5758). */
const algorithm = sequence(identifier('2a8648ce3d040302'));
/** That it is an authority (RFC 5280, section 4.2.1.9). */
const mayCertify = sequence(
  identifier('551d13'),
  tagged(0x01, Buffer.of(0xff)),
  tagged(0x04, sequence(tagged(0x01, Buffer.of(0xff)))),
);
/** The names that it is for (RFC 5280, section 4.2.1.6). */
const namesOf = (names: readonly string[]): Buffer =>
  sequence(
    identifier('551d11'),
    tagged(0x04, sequence(...names.map((name) => tagged(0x82, Buffer.from(name))))),
  );
