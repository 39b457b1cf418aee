import { Buffer } from 'node:buffer';
import {
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  KMSClient,
  ReEncryptCommand,
  type KMSClientConfig,
} from '@aws-sdk/client-kms';
import type { DataKey, EncryptionContext, KeyManagement, KmsFailure, WrappedKey } from '@switchyard/vault';
import { err, ok, Secret, type Result } from '@switchyard/values';
import { providerOf, type KeyProvider } from './key-provider.js';
import { kmsFailureOf } from './kms-failure-of.js';

type Wrapped = WrappedKey & { readonly context: EncryptionContext };

/**
 * AWS KMS as key management of the vault. Region, credentials, endpoint and retries are the SDK's standard
 * configuration (`AWS_REGION`, `AWS_PROFILE`, `AWS_ENDPOINT_URL_KMS`, `AWS_MAX_ATTEMPTS` and so on).
 *
 * This outbound path does not go through the egress guard: its target comes from the operator's configuration, never
 * from a tenant, and the SDK signs and pins what it sends.
 */
export class AwsKms implements KeyManagement, KeyProvider {
  readonly kind = 'aws';
  readonly #client: KMSClient;
  readonly #keyArn: string;
  readonly #allowed: ReadonlySet<string>;

  private constructor(client: KMSClient, keyArn: string, allowed: ReadonlySet<string>) {
    this.#client = client;
    this.#keyArn = keyArn;
    this.#allowed = allowed;
  }

  /** Keys that are not the one of the settings: nothing is asked before one is used. */
  static others(keys: readonly [string, ...string[]], config: KMSClientConfig = {}): AwsKms {
    return new AwsKms(new KMSClient({ requestHandler: limits, ...config }), keys[0], new Set(keys));
  }

  /**
   * Reads the key once and resolves an alias to its key, so that every stored key id is an ARN. Fails if the key cannot
   * wrap data keys (disabled, asymmetric, or for another use). A stored key id is used only if it is this key or one of
   * `olderKeys`, so a writer of the database cannot make us use a foreign key.
   */
  static async open(
    keyId: string,
    config: KMSClientConfig = {},
    olderKeys: readonly string[] = [],
  ): Promise<Result<AwsKms, KmsFailure>> {
    const client = new KMSClient({ requestHandler: limits, ...config });
    const described = await callKms('DescribeKey', () =>
      client.send(new DescribeKeyCommand({ KeyId: keyId })),
    );
    const key = described.ok ? described.value.KeyMetadata : undefined;
    if (described.ok && key?.Arn !== undefined) {
      const usable =
        key.KeyState === 'Enabled' &&
        key.KeyUsage === 'ENCRYPT_DECRYPT' &&
        key.KeySpec === 'SYMMETRIC_DEFAULT';
      if (usable) return ok(new AwsKms(client, key.Arn, new Set([key.Arn, ...olderKeys])));
    }
    client.destroy();
    if (!described.ok) return described;
    return err({
      code: 'unavailable',
      message: `The KMS key ${keyId} is not an enabled symmetric encryption key (${key?.KeyState ?? 'unknown'}).`,
    });
  }

  currentKeyId(): string {
    return this.#keyArn;
  }

  owns(keyId: string): boolean {
    return providerOf(keyId) === 'aws';
  }

  at(keyId: string): KeyManagement | undefined {
    return this.#allowed.has(keyId) ? new AwsKms(this.#client, keyId, this.#allowed) : undefined;
  }

  async generateDataKey(context: EncryptionContext): Promise<Result<DataKey, KmsFailure>> {
    const command = new GenerateDataKeyCommand({
      KeyId: this.#keyArn,
      KeySpec: 'AES_256',
      EncryptionContext: { ...context },
    });
    const answer = await callKms('GenerateDataKey', () => this.#client.send(command));
    if (!answer.ok) return answer;
    const { KeyId, Plaintext, CiphertextBlob } = answer.value;
    if (KeyId !== this.#keyArn) return err(anotherKey('GenerateDataKey'));
    if (Plaintext?.length !== 32 || CiphertextBlob === undefined) return err(malformed('GenerateDataKey'));
    return ok({
      keyId: KeyId,
      plaintext: new Secret(bufferOver(Plaintext)),
      wrapped: Buffer.from(CiphertextBlob),
    });
  }

  async wrap(plaintext: Secret, context: EncryptionContext): Promise<Result<WrappedKey, KmsFailure>> {
    // Copied, because the secret is not to be held while we wait.
    const bytes = plaintext.use((secret) => Buffer.from(secret));
    const command = new EncryptCommand({
      KeyId: this.#keyArn,
      Plaintext: bytes,
      EncryptionContext: { ...context },
    });
    const answer = await callKms('Encrypt', () => this.#client.send(command));
    bytes.fill(0);
    if (!answer.ok) return answer;
    const { KeyId, CiphertextBlob } = answer.value;
    if (KeyId !== this.#keyArn) return err(anotherKey('Encrypt'));
    if (CiphertextBlob === undefined) return err(malformed('Encrypt'));
    return ok({ keyId: KeyId, wrapped: Buffer.from(CiphertextBlob) });
  }

  async unwrap({ keyId, wrapped, context }: Wrapped): Promise<Result<Secret, KmsFailure>> {
    if (!this.#allowed.has(keyId)) return err(notAllowed(keyId));
    const command = new DecryptCommand({
      KeyId: keyId,
      CiphertextBlob: wrapped,
      EncryptionContext: { ...context },
    });
    const answer = await callKms('Decrypt', () => this.#client.send(command));
    if (!answer.ok) return answer;
    const { KeyId, Plaintext } = answer.value;
    if (KeyId !== keyId) return err(anotherKey('Decrypt'));
    if (Plaintext?.length !== 32) return err(malformed('Decrypt'));
    return ok(new Secret(bufferOver(Plaintext)));
  }

  async rewrap({ keyId, wrapped, context }: Wrapped): Promise<Result<WrappedKey, KmsFailure>> {
    if (!this.#allowed.has(keyId)) return err(notAllowed(keyId));
    const command = new ReEncryptCommand({
      SourceKeyId: keyId,
      CiphertextBlob: wrapped,
      SourceEncryptionContext: { ...context },
      DestinationKeyId: this.#keyArn,
      DestinationEncryptionContext: { ...context },
    });
    const answer = await callKms('ReEncrypt', () => this.#client.send(command));
    if (!answer.ok) return answer;
    const { KeyId, SourceKeyId, CiphertextBlob } = answer.value;
    if (KeyId !== this.#keyArn || SourceKeyId !== keyId) return err(anotherKey('ReEncrypt'));
    if (CiphertextBlob === undefined) return err(malformed('ReEncrypt'));
    return ok({ keyId: KeyId, wrapped: Buffer.from(CiphertextBlob) });
  }

  close(): void {
    this.#client.destroy();
  }
}

/** Milliseconds. A key service that does not answer must not block a buyer's request. */
const limits = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

async function callKms<T>(operation: string, send: () => Promise<T>): Promise<Result<T, KmsFailure>> {
  try {
    return ok(await send());
  } catch (error) {
    return err(kmsFailureOf(operation, error));
  }
}

/** Shares the memory instead of copying it: wiping the secret also wipes what the SDK decoded. */
function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function anotherKey(operation: string): KmsFailure {
  return {
    code: 'wrong_key',
    message: `AWS KMS answered ${operation} for another key than the requested one.`,
  };
}

function notAllowed(keyId: string): KmsFailure {
  return {
    code: 'unknown_key',
    message: `The KMS key ${keyId} is neither SWITCHYARD_KMS_KEY_ID nor one of SWITCHYARD_KMS_KEY_IDS.`,
  };
}

function malformed(operation: string): KmsFailure {
  return { code: 'unavailable', message: `AWS KMS answered ${operation} without the requested data.` };
}
