import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { contextBytes, type EncryptionContext, type KmsFailure } from '@switchyard/vault';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { providerOf } from './key-provider.js';
import { base64Bytes, isSafeAddress, sendJson, textIn, type JsonAnswer } from './send-json.js';
import { changed, refusalOf, ServiceKeys, type KeyService, type Wrapped } from './service-keys.js';

const service = 'Azure Key Vault';
const version = '7.4';
const keyForm = /^https?:\/\/[^/]+\/keys\/[\w-]+(?:\/[\w]+)?$/;

/** The names are those of Azure's own libraries. Without any, the identity of the machine is used. */
export interface AzureEnvironment {
  readonly AZURE_TENANT_ID?: string | undefined;
  readonly AZURE_CLIENT_ID?: string | undefined;
  readonly AZURE_CLIENT_SECRET?: string | undefined;
  /** Workload identity: the file with the token of the pod. */
  readonly AZURE_FEDERATED_TOKEN_FILE?: string | undefined;
  readonly AZURE_AUTHORITY_HOST?: string | undefined;
}

/** Address of the identity of a machine, which tests replace. */
const machine = 'http://169.254.169.254';

/** Opens an RSA key: the named version of it, or its newest one, which is asked for once. */
export async function openAzure(
  keyId: string,
  env: AzureEnvironment,
  others: readonly string[] = [],
  machineAddress: string = machine,
): Promise<Result<ServiceKeys, KmsFailure>> {
  if (!keyForm.test(keyId) || !isSafeAddress(keyId))
    return err({ code: 'unknown_key', message: `The key ${keyId} is no address of a key of ${service}.` });
  const keys = new AzureKeys(env, machineAddress);
  const read = await keys.ask('GET', keyId);
  if (read.status !== 200) return err(refusalOf(service, 'reading the key', read.status));
  const id = textIn(read.body, 'key', 'kid');
  const { key } = read.body;
  const operations = typeof key === 'object' && key !== null && !Array.isArray(key) ? key['key_ops'] : [];
  const mayWrap =
    Array.isArray(operations) && ['wrapKey', 'unwrapKey'].every((one) => operations.includes(one));
  if (!mayWrap || !id.startsWith(keyId))
    return err({ code: 'unavailable', message: `The key ${keyId} is not one that wraps and unwraps.` });
  return ok(new ServiceKeys(keys, id, others));
}

/** Keys that are not the one of the settings: nothing is asked before one is used. */
export function otherAzureKeys(keys: readonly [string, ...string[]], env: AzureEnvironment): ServiceKeys {
  return new ServiceKeys(new AzureKeys(env, machine), keys[0], keys);
}

/**
 * RSA-OAEP takes no further data to authenticate, so what is wrapped is the data key with the hash of its context: a data
 * key opens under its own context alone.
 */
class AzureKeys implements KeyService {
  readonly kind = 'azure';
  readonly name = service;
  #token: { readonly text: string; readonly renewAt: number } | undefined;

  constructor(
    private readonly env: AzureEnvironment,
    private readonly machineAddress: string,
  ) {}

  owns(keyId: string): boolean {
    return providerOf(keyId) === 'azure';
  }

  async seal(
    keyId: string,
    plaintext: Buffer,
    context: EncryptionContext,
  ): Promise<Result<Buffer, KmsFailure>> {
    const bound = Buffer.concat([plaintext, hashOf(context)]);
    const answer = await this.#act(keyId, 'wrapkey', bound);
    bound.fill(0);
    return answer;
  }

  async open({ keyId, wrapped, context }: Wrapped): Promise<Result<Buffer, KmsFailure>> {
    if (wrapped.length === 0) return err(changed);
    const answer = await this.#act(keyId, 'unwrapkey', wrapped);
    if (!answer.ok) return answer;
    const bound = answer.value;
    const hash = hashOf(context);
    const fits = bound.length === 64 && timingSafeEqual(bound.subarray(32), hash);
    if (fits) return ok(bound.subarray(0, 32));
    bound.fill(0);
    return err(changed);
  }

  async ask(method: 'GET' | 'POST', address: string, body?: JsonObject): Promise<JsonAnswer> {
    const token = await this.#tokenNow(address);
    if (token === undefined) return { status: 401, body: {} };
    return sendJson({
      method,
      url: `${address}?api-version=${version}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    });
  }

  async #act(
    keyId: string,
    act: 'wrapkey' | 'unwrapkey',
    bytes: Buffer,
  ): Promise<Result<Buffer, KmsFailure>> {
    const value = bytes.toString('base64url');
    const answer = await this.ask('POST', `${keyId}/${act}`, { alg: 'RSA-OAEP-256', value });
    if (answer.status !== 200) return err(refusalOf(service, act, answer.status));
    if (answer.body['kid'] !== keyId)
      return err({ code: 'wrong_key', message: `${service} answered ${act} for another key.` });
    const read = base64Bytes(textIn(answer.body, 'value'), 'base64url');
    return read === undefined ? err(refusalOf(service, act, 0)) : ok(read);
  }

  async #tokenNow(address: string): Promise<string | undefined> {
    const now = performance.now();
    if (this.#token !== undefined && this.#token.renewAt > now) return this.#token.text;
    const resource = new URL(address).hostname.includes('.managedhsm.')
      ? 'https://managedhsm.azure.net'
      : 'https://vault.azure.net';
    const answer = await this.#signIn(resource);
    const text = textIn(answer.body, 'access_token');
    if (text === '') return undefined;
    const life = Number(answer.body['expires_in']);
    this.#token = { text, renewAt: now + (Number.isFinite(life) && life > 0 ? life : 60) * 800 };
    return text;
  }

  async #signIn(resource: string): Promise<JsonAnswer> {
    const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: id, AZURE_CLIENT_SECRET: secret } = this.env;
    const { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_AUTHORITY_HOST: host } = this.env;
    const hasProof = secret !== undefined || file !== undefined;
    if (tenant === undefined || id === undefined || !hasProof)
      return sendJson({
        method: 'GET',
        url: `${this.machineAddress}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(resource)}${id === undefined ? '' : `&client_id=${encodeURIComponent(id)}`}`,
        headers: { metadata: 'true' },
      });
    const proof: Readonly<Record<string, string>> =
      secret === undefined
        ? {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: (await readFile(file ?? '', 'utf8').catch(() => '')).trim(),
          }
        : { client_secret: secret };
    const authority = (host ?? 'https://login.microsoftonline.com').replace(/\/+$/, '');
    return sendJson({
      method: 'POST',
      url: `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        scope: `${resource}/.default`,
        ...proof,
      }),
    });
  }
}

const hashOf = (context: EncryptionContext): Buffer =>
  createHash('sha256').update(contextBytes(context)).digest();
