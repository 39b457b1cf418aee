import { Buffer } from 'node:buffer';
import { sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { contextBytes, type EncryptionContext, type KmsFailure } from '@switchyard/vault';
import {
  err,
  isJsonObject,
  ok,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { crc32c } from './crc32c.js';
import { providerOf } from './key-provider.js';
import { base64Bytes, sendJson, textIn, type JsonAnswer } from './send-json.js';
import { changed, refusalOf, ServiceKeys, type KeyService, type Wrapped } from './service-keys.js';

const service = 'Google Cloud KMS';
const keyForm = /^projects\/[\w:.-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/;
const versionForm = /^(projects\/.+\/cryptoKeys\/[\w-]+)\/cryptoKeyVersions\/\d+$/;

export interface GoogleEnvironment {
  /** The file of a service account; absent: the metadata server of the machine is asked for a token. */
  readonly GOOGLE_APPLICATION_CREDENTIALS?: string | undefined;
}

/** Addresses of Google, which tests replace. */
export interface GoogleAddresses {
  readonly kms: string;
  readonly metadata: string;
}

const usual: GoogleAddresses = {
  kms: 'https://cloudkms.googleapis.com',
  metadata: 'http://metadata.google.internal',
};

/** Opens a key: the named version of it, or its primary one, which is asked for once. */
export async function openGoogle(
  keyId: string,
  env: GoogleEnvironment,
  others: readonly string[] = [],
  addresses: GoogleAddresses = usual,
): Promise<Result<ServiceKeys, KmsFailure>> {
  const kms = new GoogleKms(env, addresses);
  const [, ofVersion] = versionForm.exec(keyId) ?? [];
  const key = ofVersion ?? keyId;
  if (!keyForm.test(key))
    return err({ code: 'unknown_key', message: `The key ${keyId} is no name of a key of ${service}.` });
  const read = await kms.ask('GET', key);
  if (read.status !== 200) return err(refusalOf(service, 'reading the key', read.status));
  const version = ofVersion === undefined ? textIn(read.body, 'primary', 'name') : keyId;
  if (read.body['purpose'] !== 'ENCRYPT_DECRYPT' || !versionForm.test(version))
    return err({ code: 'unavailable', message: `The key ${keyId} has no version that encrypts.` });
  return ok(new ServiceKeys(kms, version, others));
}

/** Keys that are not the one of the settings: nothing is asked before one is used. */
export function otherGoogleKeys(keys: readonly [string, ...string[]], env: GoogleEnvironment): ServiceKeys {
  return new ServiceKeys(new GoogleKms(env, usual), keys[0], keys);
}

/** Google writes 64-bit numbers as text. */
const isSum = (said: JsonValue | undefined, bytes: Buffer): boolean =>
  (typeof said === 'string' || typeof said === 'number') && Number(said) === crc32c(bytes);

class GoogleKms implements KeyService {
  readonly kind = 'google';
  readonly name = service;
  #token: { readonly text: string; readonly renewAt: number } | undefined;

  constructor(
    private readonly env: GoogleEnvironment,
    private readonly addresses: GoogleAddresses,
  ) {}

  owns(keyId: string): boolean {
    return providerOf(keyId) === 'google';
  }

  /** Both checksums are compared in both directions, as its documentation asks for (data integrity). */
  async seal(
    keyId: string,
    plaintext: Buffer,
    context: EncryptionContext,
  ): Promise<Result<Buffer, KmsFailure>> {
    const aad = contextBytes(context);
    const answer = await this.ask('POST', `${keyId}:encrypt`, {
      plaintext: plaintext.toString('base64'),
      plaintextCrc32c: String(crc32c(plaintext)),
      additionalAuthenticatedData: aad.toString('base64'),
      additionalAuthenticatedDataCrc32c: String(crc32c(aad)),
    });
    if (answer.status !== 200) return err(refusalOf(service, 'encrypt', answer.status));
    const { name, ciphertextCrc32c, verifiedPlaintextCrc32c, verifiedAdditionalAuthenticatedDataCrc32c } =
      answer.body;
    if (name !== keyId)
      return err({ code: 'wrong_key', message: `${service} answered encrypt for another key.` });
    const wrapped = base64Bytes(textIn(answer.body, 'ciphertext'));
    const isWhole =
      verifiedPlaintextCrc32c === true &&
      verifiedAdditionalAuthenticatedDataCrc32c === true &&
      wrapped !== undefined &&
      isSum(ciphertextCrc32c, wrapped);
    return isWhole ? ok(wrapped) : err(refusalOf(service, 'encrypt', 0));
  }

  async open({ keyId, wrapped, context }: Wrapped): Promise<Result<Buffer, KmsFailure>> {
    const [, key] = versionForm.exec(keyId) ?? [];
    if (key === undefined || wrapped.length === 0) return err(changed);
    const aad = contextBytes(context);
    const answer = await this.ask('POST', `${key}:decrypt`, {
      ciphertext: wrapped.toString('base64'),
      ciphertextCrc32c: String(crc32c(wrapped)),
      additionalAuthenticatedData: aad.toString('base64'),
      additionalAuthenticatedDataCrc32c: String(crc32c(aad)),
    });
    if (answer.status !== 200) return err(refusalOf(service, 'decrypt', answer.status));
    const plaintext = base64Bytes(textIn(answer.body, 'plaintext'));
    const isWhole = plaintext !== undefined && isSum(answer.body['plaintextCrc32c'], plaintext);
    return isWhole ? ok(plaintext) : err(refusalOf(service, 'decrypt', 0));
  }

  async ask(method: 'GET' | 'POST', path: string, body?: JsonObject): Promise<JsonAnswer> {
    const token = await this.#tokenNow();
    if (token === undefined) return { status: 401, body: {} };
    return sendJson({
      method,
      url: `${this.addresses.kms}/v1/${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    });
  }

  async #tokenNow(): Promise<string | undefined> {
    const now = performance.now();
    if (this.#token !== undefined && this.#token.renewAt > now) return this.#token.text;
    const file = this.env.GOOGLE_APPLICATION_CREDENTIALS;
    const answer = await (file === undefined || file === '' ? this.#ofMachine() : this.#ofAccount(file));
    const text = textIn(answer.body, 'access_token');
    const { expires_in: life } = answer.body;
    if (text === '') return undefined;
    this.#token = { text, renewAt: now + (typeof life === 'number' ? life : 60) * 800 };
    return text;
  }

  #ofMachine(): Promise<JsonAnswer> {
    return sendJson({
      method: 'GET',
      url: `${this.addresses.metadata}/computeMetadata/v1/instance/service-accounts/default/token`,
      headers: { 'metadata-flavor': 'Google' },
    });
  }

  /** A service account proves itself by a signature (RFC 7523). */
  async #ofAccount(file: string): Promise<JsonAnswer> {
    const parsed = parseStrictJson(await readFile(file).catch(() => Buffer.alloc(0)));
    const account = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
    const [email, key, url] = ['client_email', 'private_key', 'token_uri'].map((name) =>
      textIn(account, name),
    );
    if (email === undefined || key === undefined || url === undefined || key === '')
      return { status: 401, body: {} };
    const seconds = Math.floor(Date.now() / 1000);
    const part = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const scope = 'https://www.googleapis.com/auth/cloudkms';
    const claims = { iss: email, scope, aud: url, iat: seconds, exp: seconds + 3600 };
    const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
    const assertion = `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return sendJson({ method: 'POST', url, body: new URLSearchParams({ grant_type: grant, assertion }) });
  }
}
