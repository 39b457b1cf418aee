import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { contextBytes, type EncryptionContext, type KmsFailure } from '@switchyard/vault';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { providerOf } from './key-provider.js';
import { base64Bytes, isSafeAddress, sendJson, textIn, type JsonAnswer } from './send-json.js';
import { changed, refusalOf, ServiceKeys, type KeyService, type Wrapped } from './service-keys.js';

const service = 'HashiCorp Vault';
const form = /^transit:([\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+)$/;

/** How we reach Vault or OpenBao. The names are those of its own tools (https://developer.hashicorp.com/vault/docs/commands). */
export interface TransitEnvironment {
  readonly VAULT_ADDR?: string | undefined;
  readonly VAULT_NAMESPACE?: string | undefined;
  readonly VAULT_TOKEN?: string | undefined;
  /** AppRole: the token is got by these two, and again before it ends. */
  readonly VAULT_ROLE_ID?: string | undefined;
  readonly VAULT_SECRET_ID?: string | undefined;
  /** Kubernetes: the token is got by the service account of the pod. */
  readonly VAULT_KUBERNETES_ROLE?: string | undefined;
}

const serviceAccountFile = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * Opens a key of the transit engine. It must be derived: then the context of each secret is part of its key, and a data key
 * opens under its own context alone.
 */
export async function openTransit(
  keyId: string,
  env: TransitEnvironment,
  others: readonly string[] = [],
): Promise<Result<ServiceKeys, KmsFailure>> {
  const made = transitOver(env);
  if (!made.ok) return made;
  const [mount, key] = partsOf(keyId) ?? [];
  if (mount === undefined || key === undefined)
    return err({ code: 'unknown_key', message: `The key ${keyId} has not the form transit:MOUNT/KEY.` });
  const read = await made.value.ask('GET', `${mount}/keys/${key}`);
  if (read.status !== 200) return err(refusalOf(service, 'reading the key', read.status));
  const { data } = read.body;
  const facts = typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {};
  if (facts['derived'] !== true || facts['convergent_encryption'] === true)
    return err({
      code: 'unavailable',
      message: `The key ${keyId} must be derived and not convergent: vault write ${mount}/keys/${key} derived=true`,
    });
  return ok(new ServiceKeys(made.value, keyId, others));
}

/** Keys that are not the one of the settings: nothing is asked before one is used. */
export function otherTransitKeys(
  keys: readonly [string, ...string[]],
  env: TransitEnvironment,
): Result<ServiceKeys, KmsFailure> {
  const made = transitOver(env);
  return made.ok ? ok(new ServiceKeys(made.value, keys[0], keys)) : made;
}

function transitOver(env: TransitEnvironment): Result<Transit, KmsFailure> {
  const address = env.VAULT_ADDR?.trim().replace(/\/+$/, '') ?? '';
  if (address === '' || !isSafeAddress(address))
    return err({
      code: 'unavailable',
      message: 'A key of the form transit:MOUNT/KEY needs VAULT_ADDR, an address with https.',
    });
  return ok(new Transit(address, env));
}

function partsOf(keyId: string): readonly [mount: string, key: string] | undefined {
  const [, mount, key] = form.exec(keyId) ?? [];
  return mount === undefined || key === undefined ? undefined : [mount, key];
}

class Transit implements KeyService {
  readonly kind = 'transit';
  readonly name = service;
  #token: { readonly text: string; readonly renewAt: number } | undefined;

  constructor(
    private readonly address: string,
    private readonly env: TransitEnvironment,
  ) {}

  owns(keyId: string): boolean {
    return providerOf(keyId) === 'transit';
  }

  async seal(
    keyId: string,
    plaintext: Buffer,
    context: EncryptionContext,
  ): Promise<Result<Buffer, KmsFailure>> {
    const answer = await this.#post(keyId, 'encrypt', { plaintext: plaintext.toString('base64') }, context);
    return ciphertextIn(answer, 'encrypt');
  }

  async open({ keyId, wrapped, context }: Wrapped): Promise<Result<Buffer, KmsFailure>> {
    const ciphertext = ciphertextOf(wrapped);
    if (ciphertext === undefined) return err(changed);
    const answer = await this.#post(keyId, 'decrypt', { ciphertext }, context);
    if (answer.status !== 200) return err(refusalOf(service, 'decrypt', answer.status));
    const plaintext = base64Bytes(textIn(answer.body, 'data', 'plaintext'));
    return plaintext === undefined ? err(refusalOf(service, 'decrypt', 0)) : ok(plaintext);
  }

  async reseal(keyId: string, { wrapped, context }: Wrapped): Promise<Result<Buffer, KmsFailure>> {
    const ciphertext = ciphertextOf(wrapped);
    if (ciphertext === undefined) return err(changed);
    return ciphertextIn(await this.#post(keyId, 'rewrap', { ciphertext }, context), 'rewrap');
  }

  /** One request with our token. A token that was revoked is got once more, where it can be. */
  async ask(method: 'GET' | 'POST', path: string, body?: JsonObject): Promise<JsonAnswer> {
    const token = await this.#tokenNow();
    const answer = await this.#send(method, path, token, body);
    if (answer.status !== 403 || this.env.VAULT_TOKEN !== undefined) return answer;
    this.#token = undefined;
    return this.#send(method, path, await this.#tokenNow(), body);
  }

  async #post(keyId: string, act: string, body: JsonObject, context: EncryptionContext): Promise<JsonAnswer> {
    const [mount, key] = partsOf(keyId) ?? [];
    if (mount === undefined || key === undefined) return { status: 404, body: {} };
    return this.ask('POST', `${mount}/${act}/${key}`, {
      ...body,
      context: contextBytes(context).toString('base64'),
    });
  }

  #send(method: 'GET' | 'POST', path: string, token: string, body?: JsonObject): Promise<JsonAnswer> {
    const { VAULT_NAMESPACE: namespace } = this.env;
    return sendJson({
      method,
      url: `${this.address}/v1/${path}`,
      headers: {
        ...(token === '' ? {} : { 'x-vault-token': token }),
        ...(namespace === undefined || namespace === '' ? {} : { 'x-vault-namespace': namespace }),
        'x-vault-request': 'true',
      },
      ...(body && { body }),
    });
  }

  /** Ours, or one by AppRole or Kubernetes, which is got again after two thirds of its life. */
  async #tokenNow(): Promise<string> {
    const { VAULT_TOKEN: given, VAULT_ROLE_ID: roleId, VAULT_SECRET_ID: secretId } = this.env;
    if (given !== undefined && given !== '') return given;
    const now = performance.now();
    if (this.#token !== undefined && this.#token.renewAt > now) return this.#token.text;
    const role = this.env.VAULT_KUBERNETES_ROLE;
    const login =
      roleId !== undefined
        ? await this.#send('POST', 'auth/approle/login', '', { role_id: roleId, secret_id: secretId ?? '' })
        : role !== undefined
          ? await this.#send('POST', 'auth/kubernetes/login', '', { role, jwt: await serviceAccountToken() })
          : undefined;
    const text = login === undefined ? '' : textIn(login.body, 'auth', 'client_token');
    const { auth } = login?.body ?? {};
    const life =
      typeof auth === 'object' && auth !== null && !Array.isArray(auth) ? auth['lease_duration'] : 0;
    const seconds = typeof life === 'number' && life > 0 ? life : 60;
    if (text !== '') this.#token = { text, renewAt: now + (seconds * 1000 * 2) / 3 };
    return text;
  }
}

const serviceAccountToken = (): Promise<string> =>
  readFile(serviceAccountFile, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );

/** The text of Vault, for example `vault:v1:...`, with the bytes of it written in one way alone. */
function ciphertextOf(wrapped: Buffer): string | undefined {
  const text = wrapped.toString('latin1');
  const [, , encoded = ''] = /^vault:v([1-9]\d*):(.+)$/.exec(text) ?? [];
  return base64Bytes(encoded) === undefined ? undefined : text;
}

function ciphertextIn(answer: JsonAnswer, operation: string): Result<Buffer, KmsFailure> {
  if (answer.status !== 200) return err(refusalOf(service, operation, answer.status));
  const wrapped = Buffer.from(textIn(answer.body, 'data', 'ciphertext'), 'latin1');
  return ciphertextOf(wrapped) === undefined ? err(refusalOf(service, operation, 0)) : ok(wrapped);
}
