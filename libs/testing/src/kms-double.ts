import { Buffer } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { readBody, startServer } from './start-server.js';

interface KmsDoubleCall {
  readonly operation: string;
  readonly error?: string;
}

export interface KmsDouble {
  /** For `AWS_ENDPOINT_URL_KMS`. */
  readonly endpoint: string;
  /** The ARN of the first key. */
  readonly keyArn: string;
  readonly calls: readonly KmsDoubleCall[];
  /** Adds a key; returns its ARN. */
  addKey(): string;
  /** Adds a signing key on P-256, or on another curve; returns its ARN. */
  addSigningKey(curve?: 'P-256' | 'P-384'): string;
  /** From now on another key has the same ARN, as after an import of new material. */
  replaceSigningKey(arn: string): void;
  /** From now on the key answers `DisabledException`. */
  disableKey(arn: string): void;
  /** The next `times` requests of any operation fail with this exception. */
  failNext(exception: string, times?: number): void;
  /** From now on answers name a key other than the used one. */
  answerForAnotherKey(lying: boolean): void;
  /** From now on requests get no answer. */
  hang(hanging: boolean): void;
  close(): Promise<void>;
}

interface KmsDoubleOptions {
  /** Does not authenticate the context. The contract suite must detect it. */
  readonly ignoreContext?: boolean;
}

interface Key {
  readonly arn: string;
  readonly material: Buffer;
  disabled: boolean;
  /** Set for a key that can only sign. */
  signing?: { readonly curve: 'P-256' | 'P-384'; readonly privateKey: KeyObject };
}

type Body = Readonly<Record<string, unknown>>;

/** An exception of AWS KMS, to be sent as an answer. */
class KmsException extends Error {
  constructor(override readonly name: string) {
    super(name);
  }
}

/**
 * A double of AWS KMS on loopback with its protocol (AWS JSON 1.1), so that the real client is tested: GenerateDataKey,
 * Encrypt, Decrypt, ReEncrypt and DescribeKey over symmetric keys, alias `alias/switchyard`; Sign and GetPublicKey over elliptic
 * curves.
 */
export async function startKmsDouble(options: KmsDoubleOptions = {}): Promise<KmsDouble> {
  const keys = new KmsKeys(options.ignoreContext === true);
  const first = keys.add();
  const calls: KmsDoubleCall[] = [];
  const faults: string[] = [];
  const mood = { lying: false, hanging: false };
  const server = await startServer(async (request, response) => {
    const body = JSON.parse(String(await readBody(request))) as Body;
    if (mood.hanging) return;
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    try {
      const fault = faults.shift();
      if (fault !== undefined) throw new KmsException(fault);
      const answer = keys.answer(operation, body);
      calls.push({ operation });
      send(response, 200, mood.lying ? { ...answer, KeyId: arnOf(randomUUID()) } : answer);
    } catch (error) {
      const name = error instanceof KmsException ? error.name : 'KMSInternalException';
      calls.push({ operation, error: name });
      send(response, name === 'KMSInternalException' ? 500 : 400, { __type: name, message: 'refused' });
    }
  });
  return {
    endpoint: server.url,
    keyArn: first.arn,
    calls,
    addKey: () => keys.add().arn,
    addSigningKey: (curve = 'P-256') => keys.addSigning(curve).arn,
    replaceSigningKey: (arn) => keys.replaceSigning(arn),
    disableKey: (arn) => keys.disable(arn),
    failNext: (exception, times = 1) => void faults.push(...Array<string>(times).fill(exception)),
    answerForAnotherKey: (lying) => void (mood.lying = lying),
    hang: (hanging) => void (mood.hanging = hanging),
    close: () => server.close(),
  };
}

class KmsKeys {
  readonly #keys: Key[] = [];
  readonly #ignoreContext: boolean;

  constructor(ignoreContext: boolean) {
    this.#ignoreContext = ignoreContext;
  }

  add(): Key {
    const key: Key = { arn: arnOf(randomUUID()), material: randomBytes(32), disabled: false };
    this.#keys.push(key);
    return key;
  }

  addSigning(curve: 'P-256' | 'P-384'): Key {
    const key = this.add();
    key.signing = signingPart(curve);
    return key;
  }

  replaceSigning(arn: string): void {
    this.#find(arn).signing = signingPart('P-256');
  }

  disable(arn: string): void {
    this.#find(arn).disabled = true;
  }

  answer(operation: string, body: Body): Body {
    switch (operation) {
      case 'DescribeKey':
        return { KeyMetadata: describe(this.#find(body['KeyId'])) };
      case 'GenerateDataKey': {
        const key = this.#usable(body['KeyId']);
        const plaintext = randomBytes(32);
        const blob = this.#encrypt(key, plaintext, body['EncryptionContext']);
        return { KeyId: key.arn, Plaintext: plaintext.toString('base64'), CiphertextBlob: blob };
      }
      case 'Encrypt': {
        const key = this.#usable(body['KeyId']);
        const plaintext = Buffer.from(String(body['Plaintext']), 'base64');
        return {
          KeyId: key.arn,
          CiphertextBlob: this.#encrypt(key, plaintext, body['EncryptionContext']),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      }
      case 'Decrypt': {
        const { key, plaintext } = this.#decrypt(
          body['CiphertextBlob'],
          body['KeyId'],
          body['EncryptionContext'],
        );
        return {
          KeyId: key.arn,
          Plaintext: plaintext.toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      }
      case 'ReEncrypt': {
        const from = this.#decrypt(
          body['CiphertextBlob'],
          body['SourceKeyId'],
          body['SourceEncryptionContext'],
        );
        const to = this.#usable(body['DestinationKeyId']);
        const blob = this.#encrypt(to, from.plaintext, body['DestinationEncryptionContext']);
        return { KeyId: to.arn, SourceKeyId: from.key.arn, CiphertextBlob: blob };
      }
      case 'GetPublicKey':
        return publicHalf(this.#usable(body['KeyId'], true));
      case 'Sign':
        return signMessage(this.#usable(body['KeyId'], true), body);
      default:
        throw new KmsException('UnknownOperationException');
    }
  }

  #find(id: unknown): Key {
    const key = this.#keys.find(
      ({ arn }, at) =>
        arn === id || arn.endsWith(`/${String(id)}`) || (at === 0 && id === 'alias/switchyard'),
    );
    if (key === undefined) throw new KmsException('NotFoundException');
    return key;
  }

  #usable(id: unknown, forSigning = false): Key {
    const key = this.#find(id);
    if (key.disabled) throw new KmsException('DisabledException');
    if ((key.signing !== undefined) !== forSigning) throw new KmsException('InvalidKeyUsageException');
    return key;
  }

  /** Layout: 16 bytes of key id, 12 of nonce, the ciphertext, 16 of tag. */
  #encrypt(key: Key, plaintext: Buffer, context: unknown): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key.material, nonce);
    cipher.setAAD(this.#aad(context));
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([idBytes(key.arn), nonce, sealed, cipher.getAuthTag()]).toString('base64');
  }

  #decrypt(blobText: unknown, keyId: unknown, context: unknown): { key: Key; plaintext: Buffer } {
    const blob = Buffer.from(String(blobText), 'base64');
    const key = this.#keys.find(({ arn }) => idBytes(arn).equals(blob.subarray(0, 16)));
    if (key === undefined || blob.length < 44) throw new KmsException('InvalidCiphertextException');
    if (keyId !== undefined && this.#find(keyId) !== key) throw new KmsException('IncorrectKeyException');
    if (key.disabled) throw new KmsException('DisabledException');
    const decipher = createDecipheriv('aes-256-gcm', key.material, blob.subarray(16, 28), {
      authTagLength: 16,
    });
    decipher.setAAD(this.#aad(context));
    decipher.setAuthTag(blob.subarray(-16));
    try {
      return { key, plaintext: Buffer.concat([decipher.update(blob.subarray(28, -16)), decipher.final()]) };
    } catch {
      throw new KmsException('InvalidCiphertextException');
    }
  }

  #aad(context: unknown): Buffer {
    const pairs = this.#ignoreContext ? [] : Object.entries((context ?? {}) as Record<string, string>).sort();
    return Buffer.from(JSON.stringify(pairs));
  }
}

function signingPart(curve: 'P-256' | 'P-384'): NonNullable<Key['signing']> {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: curve,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { curve, privateKey: createPrivateKey(privateKey) };
}

function publicHalf({ arn, signing }: Key): Body {
  if (signing === undefined) throw new KmsException('InvalidKeyUsageException');
  const spki = createPublicKey(signing.privateKey).export({ type: 'spki', format: 'der' });
  return {
    KeyId: arn,
    KeyUsage: 'SIGN_VERIFY',
    KeySpec: signing.curve === 'P-256' ? 'ECC_NIST_P256' : 'ECC_NIST_P384',
    PublicKey: spki.toString('base64'),
    SigningAlgorithms: ['ECDSA_SHA_256'],
  };
}

/** In DER, as AWS KMS answers. */
function signMessage({ arn, signing }: Key, body: Body): Body {
  const message = Buffer.from(String(body['Message']), 'base64');
  const isRaw = body['MessageType'] === 'RAW' && message.length <= 4096;
  if (signing === undefined || !isRaw || body['SigningAlgorithm'] !== 'ECDSA_SHA_256') {
    throw new KmsException('ValidationException');
  }
  const signature = sign('sha256', message, signing.privateKey);
  return { KeyId: arn, SigningAlgorithm: 'ECDSA_SHA_256', Signature: signature.toString('base64') };
}

function describe(key: Key): Body {
  return {
    Arn: key.arn,
    KeyId: key.arn.split('/')[1],
    Enabled: !key.disabled,
    KeyState: key.disabled ? 'Disabled' : 'Enabled',
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeySpec: 'SYMMETRIC_DEFAULT',
  };
}

const arnOf = (id: string): string => `arn:aws:kms:local:000000000000:key/${id}`;
const idBytes = (arn: string): Buffer => Buffer.from(arn.slice(-36).replaceAll('-', ''), 'hex');

function send(response: ServerResponse, status: number, body: Body): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
  response.end(JSON.stringify(body));
}
