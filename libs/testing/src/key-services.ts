import { Buffer } from 'node:buffer';
import {
  constants,
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  hkdfSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readBody, startServer } from './start-server.js';

type Body = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, body: object];

/** A double of a key service on loopback, with its protocol. */
export interface KeyServiceDouble {
  /** Where it is reached. */
  readonly url: string;
  /** The id of its key, as it stands in the settings. */
  readonly keyId: string;
  /** Paths that were asked for. */
  readonly calls: readonly string[];
  /** From now on it takes none of the tokens that it gave. */
  revokeTokens(): void;
  /** Changes each answer before it is sent. */
  lie: ((body: Body) => Body) | undefined;
  close(): Promise<void>;
}

type Handler = (path: string, body: Body, request: IncomingMessage) => Answer;

async function doubleOf(
  keyIdAt: (url: string) => string,
  handle: (url: () => string, revoked: () => number) => Handler,
): Promise<KeyServiceDouble> {
  const calls: string[] = [];
  let revoked = 0;
  const handler = handle(
    () => server.url,
    () => revoked,
  );
  const server = await startServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    calls.push(path);
    const text = String(await readBody(request));
    const isForm = (request.headers['content-type'] ?? '').includes('form');
    const given = isForm ? Object.fromEntries(new URLSearchParams(text)) : (JSON.parse(text || '{}') as Body);
    const [status, body] = handler(path, given, request);
    const told = double.lie === undefined || status !== 200 ? body : double.lie(body as Body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  });
  const double: KeyServiceDouble = {
    url: server.url,
    keyId: keyIdAt(server.url),
    calls,
    revokeTokens: () => void (revoked += 1),
    lie: undefined,
    close: () => server.close(),
  };
  return double;
}

const textIn = (body: Body, name: string): string => {
  const value = body[name];
  return typeof value === 'string' ? value : '';
};
const bytesIn = (body: Body, name: string): Buffer => Buffer.from(textIn(body, name), 'base64');

function encrypt(key: Buffer, plaintext: Buffer, aad: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, aad: Buffer): Buffer | undefined {
  if (sealed.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(aad).setAuthTag(sealed.subarray(-16));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const nothing = Buffer.alloc(0);

/** The transit engine of HashiCorp Vault: keys, encrypt, decrypt and rewrap, and tokens by AppRole or for ever. */
export function startTransitDouble({ derived = true } = {}): Promise<KeyServiceDouble> {
  const master = randomBytes(32);
  const keyFor = (body: Body): Buffer =>
    Buffer.from(hkdfSync('sha256', master, nothing, bytesIn(body, 'context'), 32));
  const seal = (body: Body, plaintext: Buffer): Answer => {
    const text = `vault:v1:${encrypt(keyFor(body), plaintext, nothing).toString('base64')}`;
    return [200, { data: { ciphertext: text, key_version: 1 } }];
  };
  const open = (body: Body): Buffer | undefined => {
    const [, encoded] = /^vault:v1:(.+)$/.exec(textIn(body, 'ciphertext')) ?? [];
    return encoded === undefined ? undefined : decrypt(keyFor(body), Buffer.from(encoded, 'base64'), nothing);
  };
  const refused: Answer = [400, { errors: ['cipher: message authentication failed'] }];
  return doubleOf(
    () => 'transit:transit/switchyard-0a1b2c3d',
    (_url, revoked) => (path, body, request) => {
      if (path === '/v1/auth/approle/login')
        return textIn(body, 'role_id') === 'a-role' && textIn(body, 'secret_id') === 'its-secret'
          ? [200, { auth: { client_token: `role-${revoked()}`, lease_duration: 3600, renewable: true } }]
          : [400, { errors: ['invalid role or secret ID'] }];
      const token = request.headers['x-vault-token'];
      if (token !== 'root' && token !== `role-${revoked()}`) return [403, { errors: ['permission denied'] }];
      const [, act, key] = /^\/v1\/transit\/(\w+)\/([\w-]+)$/.exec(path) ?? [];
      if (key !== 'switchyard-0a1b2c3d') return [404, { errors: [] }];
      if (act === 'keys') return [200, { data: { type: 'aes256-gcm96', derived, latest_version: 1 } }];
      if (textIn(body, 'context') === '') return [400, { errors: ['missing context for key derivation'] }];
      if (act === 'encrypt') return seal(body, bytesIn(body, 'plaintext'));
      const plaintext = open(body);
      if (plaintext === undefined) return refused;
      return act === 'rewrap'
        ? seal(body, plaintext)
        : [200, { data: { plaintext: plaintext.toString('base64') } }];
    },
  );
}

/** Google Cloud KMS, and the metadata server of a machine that gives tokens for it. */
export function startGoogleKmsDouble(): Promise<KeyServiceDouble> {
  const material = randomBytes(32);
  const key = 'projects/p/locations/global/keyRings/r/cryptoKeys/switchyard';
  const version = `${key}/cryptoKeyVersions/12345678`;
  return doubleOf(
    () => version,
    (_url, revoked) =>
      (path, body, { headers }) => {
        if (path.startsWith('/computeMetadata/'))
          return headers['metadata-flavor'] === 'Google'
            ? [200, { access_token: `machine-${revoked()}`, expires_in: 3599, token_type: 'Bearer' }]
            : [403, {}];
        if (headers.authorization !== `Bearer machine-${revoked()}`) return [401, {}];
        const aad = bytesIn(body, 'additionalAuthenticatedData');
        const isWhole = (name: string, sum: string): boolean =>
          body[sum] === String(crc32c(bytesIn(body, name)));
        if (path === `/v1/${key}`)
          return [200, { name: key, purpose: 'ENCRYPT_DECRYPT', primary: { name: version } }];
        if (path === `/v1/${version}:encrypt`) {
          const ciphertext = encrypt(material, bytesIn(body, 'plaintext'), aad);
          return [
            200,
            {
              name: version,
              ciphertext: ciphertext.toString('base64'),
              ciphertextCrc32c: String(crc32c(ciphertext)),
              verifiedPlaintextCrc32c: isWhole('plaintext', 'plaintextCrc32c'),
              verifiedAdditionalAuthenticatedDataCrc32c: isWhole(
                'additionalAuthenticatedData',
                'additionalAuthenticatedDataCrc32c',
              ),
            },
          ];
        }
        if (path !== `/v1/${key}:decrypt`) return [404, {}];
        const plaintext = isWhole('ciphertext', 'ciphertextCrc32c')
          ? decrypt(material, bytesIn(body, 'ciphertext'), aad)
          : undefined;
        return plaintext === undefined
          ? [400, { error: { status: 'INVALID_ARGUMENT' } }]
          : [200, { plaintext: plaintext.toString('base64'), plaintextCrc32c: String(crc32c(plaintext)) }];
      },
  );
}

/** Azure Key Vault with one RSA key, its authorization server, and the identity of a machine. */
export function startAzureKeysDouble(): Promise<KeyServiceDouble> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const place = '/keys/switchyard';
  const version = 'abcdef12';
  return doubleOf(
    (url) => `${url}${place}/${version}`,
    (url, revoked) =>
      (path, body, { headers }) => {
        const kid = `${url()}${place}/${version}`;
        const token = { access_token: `azure-${revoked()}`, expires_in: 3599 };
        if (path === '/a-tenant/oauth2/v2.0/token')
          return textIn(body, 'client_secret') === 'its-secret' ? [200, token] : [401, {}];
        if (path === '/metadata/identity/oauth2/token')
          return headers['metadata'] === 'true' ? [200, token] : [400, {}];
        if (headers.authorization !== `Bearer azure-${revoked()}`) return [401, {}];
        if (path === place || path === `${place}/${version}`)
          return [200, { key: { kid, kty: 'RSA', key_ops: ['wrapKey', 'unwrapKey'] } }];
        const value = Buffer.from(textIn(body, 'value'), 'base64url');
        if (body['alg'] !== 'RSA-OAEP-256') return [400, {}];
        if (path === `${place}/${version}/wrapkey`)
          return [
            200,
            { kid, value: publicEncrypt({ key: publicKey, ...padding }, value).toString('base64url') },
          ];
        if (path !== `${place}/${version}/unwrapkey`) return [404, {}];
        try {
          return [
            200,
            { kid, value: privateDecrypt({ key: privateKey, ...padding }, value).toString('base64url') },
          ];
        } catch {
          return [400, { error: { code: 'BadParameter' } }];
        }
      },
  );
}

/** The checksum, bit by bit. */
function crc32c(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit += 1)
      value = (((value ^ (byte >>> bit)) & 1) === 1 ? 0x82f63b78 : 0) ^ (value >>> 1);
  return (value ^ 0xffffffff) >>> 0;
}
