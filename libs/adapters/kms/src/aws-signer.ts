import { Buffer } from 'node:buffer';
import { createPublicKey, type KeyObject } from 'node:crypto';
import type * as Sdk from '@aws-sdk/client-kms';
import type { KMSClient, KMSClientConfig } from '@aws-sdk/client-kms';
import { p1363OfDer, type KeyService, type SigningFailure } from '@switchyard/signing';
import { err, ok, type Result } from '@switchyard/values';
import { kmsFailureOf } from './kms-failure-of.js';

const algorithm = 'ECDSA_SHA_256';
/** Milliseconds. A key service that does not answer must not block a buyer's request. */
const limits = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/**
 * AWS KMS as a service of signing keys (docs/protocol/signing.md#algorithms). It answers in DER, which is not a format
 * of the protocol, and takes at most 4,096 bytes: a signature base is longer only if the URL itself is.
 *
 * The SDK is loaded and its client made at the first use of a key: an installation without such keys has neither.
 */
export class AwsSigner implements KeyService {
  readonly #config: KMSClientConfig;
  #client: KMSClient | undefined;

  constructor(config: KMSClientConfig = {}) {
    this.#config = config;
  }

  async publicKey(
    keyId: string,
  ): Promise<Result<{ readonly keyId: string; readonly publicKey: KeyObject }, SigningFailure>> {
    const answer = await this.#ask('GetPublicKey', (client, { GetPublicKeyCommand }) =>
      client.send(new GetPublicKeyCommand({ KeyId: keyId })),
    );
    if (!answer.ok) return answer;
    const { KeyId, KeyUsage, KeySpec, PublicKey } = answer.value;
    if (KeyUsage !== 'SIGN_VERIFY' || KeySpec !== 'ECC_NIST_P256' || KeyId === undefined) {
      return err(unavailable(`The KMS key ${keyId} is not a signing key on P-256.`));
    }
    try {
      const publicKey = createPublicKey({
        key: Buffer.from(PublicKey ?? []),
        format: 'der',
        type: 'spki',
      });
      if (publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1') return ok({ keyId: KeyId, publicKey });
    } catch {
      // The next check reports the failure.
    }
    return err(
      unavailable(`AWS KMS answered GetPublicKey for ${keyId} with something else than a P-256 key.`),
    );
  }

  async sign(keyId: string, bytes: Buffer): Promise<Result<Buffer, SigningFailure>> {
    const requested = {
      KeyId: keyId,
      Message: bytes,
      MessageType: 'RAW',
      SigningAlgorithm: algorithm,
    } as const;
    const answer = await this.#ask('Sign', (client, { SignCommand }) =>
      client.send(new SignCommand(requested)),
    );
    if (!answer.ok) return answer;
    const { KeyId, Signature, SigningAlgorithm } = answer.value;
    if (KeyId !== keyId || SigningAlgorithm !== algorithm) {
      return err(unavailable('AWS KMS answered Sign for another key or algorithm than the requested one.'));
    }
    const signature = p1363OfDer(Buffer.from(Signature ?? []));
    return signature === undefined
      ? err(unavailable('AWS KMS answered Sign with something else than a P-256 signature.'))
      : ok(signature);
  }

  close(): void {
    this.#client?.destroy();
  }

  async #ask<T>(
    operation: string,
    send: (client: KMSClient, sdk: typeof Sdk) => Promise<T>,
  ): Promise<Result<T, SigningFailure>> {
    try {
      const sdk = await import('@aws-sdk/client-kms');
      this.#client ??= new sdk.KMSClient({ requestHandler: limits, ...this.#config });
      return ok(await send(this.#client, sdk));
    } catch (error) {
      return err(unavailable(kmsFailureOf(operation, error).message));
    }
  }
}

function unavailable(message: string): SigningFailure {
  return { code: 'key_unavailable', message };
}
