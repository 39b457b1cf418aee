import { registrationSecret } from '@switchyard/events';
import { isJsonObject, type JsonObject, type JsonValue, type Secret } from '@switchyard/values';
import { createHash, createHmac } from 'node:crypto';

const opening = '[webhook-secret:';

/** A sealed secret, and the registration for which its own secret is derived; absent: the sealed secret itself. */
interface WebhookSecretPlace {
  readonly credentialId: string;
  readonly registrationId?: string;
}

/** The placeholder in the stored arguments of a leg for the shared secret of its webhooks. */
export function webhookSecretPlace({ credentialId, registrationId }: WebhookSecretPlace): string {
  return `${opening}${credentialId}${registrationId === undefined ? '' : `/${registrationId}`}]`;
}

/** The secrets that the arguments have a placeholder for. */
export function webhookSecretPlaces(args: JsonObject): readonly WebhookSecretPlace[] {
  return blocks.flatMap((name) => placeIn(args[name]) ?? []);
}

/** The sealed secrets of a connection that replace placeholders. */
interface SealedSecrets {
  readonly keyCredentialId?: string;
  readonly keySecret?: Secret;
  readonly webhookSecret?: { readonly credentialId: string; readonly secret: Secret };
}

/**
 * Returns the arguments with each secret in its place; undefined where one is not available. They are filled in for
 * one send and never stored. The secret of a credential does not change, so every send has the same bytes.
 */
export function withWebhookSecrets(args: JsonObject, sealed: SealedSecrets): JsonObject | undefined {
  let filled = args;
  for (const name of blocks) {
    const block = args[name];
    const place = placeIn(block);
    if (place === undefined || !isJsonObject(block)) continue;
    const secret = secretAt(place, sealed);
    if (secret === undefined) return undefined;
    const authentication = secret.useText((credentials) => ({
      ...(block['authentication'] as JsonObject),
      credentials,
    }));
    filled = { ...filled, [name]: { ...block, authentication } };
  }
  return filled;
}

function secretAt(
  { credentialId, registrationId }: WebhookSecretPlace,
  sealed: SealedSecrets,
): Secret | undefined {
  const { keyCredentialId, keySecret, webhookSecret } = sealed;
  if (registrationId === undefined)
    return webhookSecret?.credentialId === credentialId ? webhookSecret.secret : undefined;
  if (keySecret === undefined || keyCredentialId !== credentialId) return undefined;
  return registrationSecret(keySecret, registrationId);
}

const blocks: readonly string[] = ['push_notification_config', 'reporting_webhook'];

function placeIn(block: JsonValue | undefined): WebhookSecretPlace | undefined {
  const authentication = isJsonObject(block) ? block['authentication'] : undefined;
  const credentials = isJsonObject(authentication) ? authentication['credentials'] : undefined;
  if (typeof credentials !== 'string' || !credentials.startsWith(opening)) return undefined;
  const [credentialId = '', registrationId] = credentials.slice(opening.length, -1).split('/');
  return { credentialId, ...(registrationId === undefined ? {} : { registrationId }) };
}

/** The registration of a leg's native A2A channel. */
interface NativeChannel {
  /** The registration's id, also the id of the configuration at the seller. */
  readonly id: string;
  /** Value of `X-A2A-Notification-Token` in its posts. */
  readonly token: string;
  /** SHA-256 of the token, lower-case hex. The token itself is not stored. */
  readonly tokenHash: string;
}

/**
 * Derives the native channel of a leg from the connection's secret: every process that sends the leg again
 * uses the same address and token, so neither has to be stored with the frozen arguments.
 */
export function nativeChannel(keySecret: Secret, legId: string): NativeChannel {
  const derive = (what: string): string =>
    keySecret.use((bytes) =>
      createHmac('sha256', bytes).update(`a2a-${what}|${legId}`, 'utf8').digest('base64url'),
    );
  const token = derive('token');
  return {
    id: `whr_${derive('address')}`,
    token,
    tokenHash: createHash('sha256').update(token, 'utf8').digest('hex'),
  };
}

const callbacks = ['push_notification_config', 'reporting_webhook'];

/**
 * Removes callback secrets from a request before it is stored: no legacy credential and no token may be in a
 * table in clear text, also not in the addresses under `updates` of a change.
 */
export function stripCallbackSecrets(args: JsonObject): JsonObject {
  const { updates } = args;
  const stored = withoutSecrets(args);
  return isJsonObject(updates) ? { ...stored, updates: withoutSecrets(updates) } : stored;
}

function withoutSecrets(args: JsonObject): JsonObject {
  const stored = { ...args };
  for (const name of callbacks) {
    const callback = stored[name];
    if (!isJsonObject(callback)) continue;
    const { authentication, token: _token, ...rest } = callback;
    stored[name] = isJsonObject(authentication)
      ? { ...rest, authentication: { schemes: authentication['schemes'] ?? [] } }
      : rest;
  }
  return stored;
}
